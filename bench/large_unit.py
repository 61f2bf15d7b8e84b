# SPDX-License-Identifier: BSD-3-Clause
"""Writes one C++ source with very many functions, templates and inlined calls: bench/large_unit.py FUNCTIONS >unit.cc

It stands on no library, so that copies of its object with other symbol names can be linked into one large program."""
import sys

HEAD = """\
template <typename T> struct Vector {
    T x, y, z;
    T dot(const Vector &other) const { return x * other.x + y * other.y + z * other.z; }
    Vector cross(const Vector &other) const
    {
        return {y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x};
    }
    template <typename F> Vector map(F f) const { return {f(x), f(y), f(z)}; }
};
template <int N, typename T> struct Stencil {
    T weights[N];
    T apply(const T *field) const
    {
        T sum = 0;
        for (int i = 0; i < N; i++)
            sum += weights[i] * field[i];
        return sum;
    }
};
namespace ocean {
volatile double sink;
"""

FUNCTION = """\
struct Cell{n} {{
    Vector<double> speed;
    Stencil<{width}, double> stencil;
    double field[{width}];
    double flux(double t) const
    {{
        double scaled = t * {n} + speed.dot(speed);
        return stencil.apply(field) * scaled;
    }}
    __attribute__((noinline)) double step(double t, int levels);
}};
double Cell{n}::step(double t, int levels)
{{
    double total = 0;
    for (int level = 0; level < levels; level++) {{
        auto bent = [&](double v) {{ double w = v + t; sink = w; return w * v + level; }};
        Vector<double> now = speed.map(bent), turned = now.cross(speed);
        double here = flux(t + level), there = turned.dot(now);
        if (here > there)
            total += here * bent(there);
        else
            total -= there;
        sink = total;
    }}
    return total;
}}
"""


def main():
    functions = int(sys.argv[1])
    print(HEAD)
    for n in range(functions):
        print(FUNCTION.format(n=n, width=3 + n % 5))
    print("}\nextern \"C\" double everything(double t, int levels)\n{\n    double total = 0;")
    for n in range(functions):
        print(f"    static ocean::Cell{n} cell{n};\n    total += cell{n}.step(t, levels);")
    print("    return total;\n}")


main()
