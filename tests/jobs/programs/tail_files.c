/* With tail_files_one.c and tail_files_two.c: functions that end with a tail call, in several files; some have the same
 * name. Way one: one > mid > spin; way two: two > mid > relay > spin. */
volatile double sink;
double one(int n), two(int n);

__attribute__((noinline, noclone)) double spin(int n)
{
    double sum = 0;
    for (int i = 0; i < n * 1000; i++)
        sum += i * 0.5 + sink;
    sink = sum;
    return sum;
}

int main(void)
{
    double sum = 0;
    for (int i = 0; i < 200; i++) {
        sum += one(400);
        sum += two(400);
    }
    return sum < 0;
}
