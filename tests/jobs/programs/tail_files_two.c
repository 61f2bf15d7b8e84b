extern volatile double sink;
double spin(int n);

__attribute__((noinline, noclone)) double relay(int n)
{
    sink = sink + 2;
    return spin(n);
}

__attribute__((noinline, noclone)) static double mid(int n)
{
    sink = sink + 1;
    return relay(n);
}

__attribute__((noinline, noclone)) double two(int n)
{
    sink = sink * 0.5;
    return mid(n);
}
