/* Successive reductions that could be one, and others that could not. What must be counted is in
 * successive_reductions_test.py, by the marks at the ends of lines. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 100, N = 20000, LOOP = 480, PAIRS = 8 };

static double x[N], r[N], p[N];

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Two norms, computed first and reduced one after the other. */
static void norms(double *out)
{
    double one = dot(x, x), two = dot(r, r);
    MPI_Allreduce(&one, &out[0], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* norm 1 */
    MPI_Allreduce(&two, &out[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* norm 2 */
}

/* A step of conjugate gradients: what is computed from one result goes into the next. */
static void solve(double *out)
{
    double mine = dot(p, r), alpha, beta;
    MPI_Allreduce(&mine, &alpha, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* alpha */
    alpha = 1 / (1 + fabs(alpha));
    for (int i = 0; i < N; i++) {
        x[i] += alpha * p[i];
        r[i] -= alpha * p[i] * 0.5;
    }
    mine = dot(r, r);
    MPI_Allreduce(&mine, &beta, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* beta */
    for (int i = 0; i < N; i++)
        p[i] = r[i] + 1e-3 * p[i] / (1 + fabs(beta));
    *out += beta;
}

/* The second sends what the first has received. */
static void chain(double *out)
{
    double a = 1, b, c;
    MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* chain 1 */
    MPI_Allreduce(&b, &c, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); /* chain 2 */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &c, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* chain 3 */
    MPI_Allreduce(MPI_IN_PLACE, &c, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); /* chain 4 */
    *out += c;
}

/* The second sends the last of the pairs, which are not adjacent, that the first has received. */
static void pairs(double *out)
{
    struct {
        double value;
        int rank;
    } mine[PAIRS] = {{0, 0}}, largest[PAIRS];
    double sum;
    MPI_Allreduce(mine, largest, PAIRS, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);        /* pair 1 */
    MPI_Allreduce(&largest[PAIRS - 1].value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* pair 2 */
    MPI_Barrier(MPI_COMM_WORLD);
    *out += sum;
}

/* Not successive: other calls between them, other communicators, other roots. */
static void apart(MPI_Comm other)
{
    double a = 1, b;
    int rank, flag;
    MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* apart 1 */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* apart 2 */
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* apart 3 */
    MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, other);          /* apart 4 */
    MPI_Reduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); /* apart 5 */
    MPI_Reduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD); /* apart 6 */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Reduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); /* reduce 1 */
    MPI_Reduce(&a, &b, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD); /* reduce 2 */
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The same line many times. */
static void loop(double *out)
{
    static double in[LOOP], sum[LOOP];
    for (int i = 0; i < LOOP; i++)
        MPI_Allreduce(&in[i], &sum[i], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* loop */
    MPI_Barrier(MPI_COMM_WORLD);
    *out += sum[3];
}

int main(int argc, char **argv)
{
    double out[2] = {0, 0};
    MPI_Comm other;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int i = 0; i < N; i++)
        r[i] = p[i] = 1.0 / (i + 1);
    for (int step = 0; step < STEPS; step++) {
        norms(out);
        MPI_Barrier(MPI_COMM_WORLD);
        solve(out);
        MPI_Barrier(MPI_COMM_WORLD);
        pairs(out);
        chain(out);
        apart(other);
        if (step % 50 == 0)
            loop(out);
    }
    if (argc > 9)
        printf("%g\n", out[0] + out[1]);
    MPI_Comm_free(&other);
    MPI_Finalize();
    return 0;
}
