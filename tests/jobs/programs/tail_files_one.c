extern volatile double sink;
double spin(int n);

__attribute__((noinline, noclone)) static double relay(double x)
{
    return x + sink;
}

__attribute__((noinline, noclone)) static double mid(int n)
{
    sink = sink + 1;
    return spin(n);
}

__attribute__((noinline, noclone)) double one(int n)
{
    sink = relay(sink) * 0.5;
    return mid(n);
}
