// The comment after a mark names its frames, innermost first.
#include <stdexcept>
#include <vector>

extern "C" void mark(const char *tag);

static volatile int deep = 1;

namespace ocean {
template <typename T> struct Field {
    std::vector<T> values;
    __attribute__((noinline)) explicit Field(int n)
        : values(n)
    {
        mark("constructor"); // ocean::Field<double>::Field
        deep++;
    }
    __attribute__((noinline)) void each(T by)
    {
        for (T &value : values)
            value *= by;
        mark("member of a template"); // ocean::Field<double>::each
        deep++;
    }
    __attribute__((always_inline)) T sum() const
    {
        T total = 0;
        for (T value : values)
            total += value;
        mark("inlined member"); // ocean::Field<double>::sum < ocean::total<double>
        return total;
    }
};

template <typename T> __attribute__((noinline)) T total(const Field<T> &field)
{
    T all = field.sum();
    deep++;
    return all;
}

namespace {
__attribute__((noinline)) void hidden()
{
    mark("nameless namespace"); // ocean::(anonymous namespace)::hidden
    deep++;
}
} // namespace

__attribute__((noinline)) void fail(int n)
{
    if (n > 0)
        throw std::runtime_error("storm");
}

__attribute__((noinline)) void recover()
{
    try {
        fail(deep);
    } catch (const std::exception &) {
        mark("handler"); // ocean::recover
        deep++;
    }
}
} // namespace ocean

template <typename F> __attribute__((noinline)) void apply(F f)
{
    f(deep);
    deep++;
}

int main()
{
    ocean::Field<double> field(deep + 3);
    field.each(2.0);
    deep = deep + (int)ocean::total(field);
    ocean::hidden();
    ocean::recover();
    apply([](int n) __attribute__((noinline)) {
        mark("lambda"); // *lambda*operator()
        deep = n;
    });
    mark("main"); // main
    return 0;
}
