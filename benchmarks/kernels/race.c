/* The C kernels against each other, in one executable: no interpreter between the clock and the code.
 *
 * race INPUT OUTPUT ROUNDS SPAN: INPUT holds rows of doubles and then one int32 branch a row; the results of each lane
 * go to OUTPUT; standard output gets, for every round, the nanoseconds a row of each lane. The lanes run in a new
 * random order in every round. Each lane is an object file of its own, with its own flags: nothing is inlined across.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void lane(const double *in, double *out, const int32_t *branch, long rows, long passes);

#define LANE(k) lane lane_##k;
#include "lanes.h"
#undef LANE
#define LANE(k) lane_##k,
static lane *const lanes[] = {
#include "lanes.h"
};
enum { LANES = sizeof lanes / sizeof lanes[0] };

static double seconds(lane *one, const double *in, double *out, const int32_t *branch, long passes)
{
    struct timespec t0, t1;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    one(in, out, branch, ROWS, passes);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    return (double)(t1.tv_sec - t0.tv_sec) + 1e-9*(double)(t1.tv_nsec - t0.tv_nsec);
}

static uint64_t state = 88172645463325252u;

static int below(int n) /* xorshift: the order of the lanes */
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (uint64_t)n);
}

int main(int argc, char **argv)
{
    static double in[ROWS*SIZE_IN], out[ROWS*SIZE_OUT];
    static int32_t branch[ROWS];
    static double taken[LANES];
    long passes[LANES];
    int order[LANES];
    FILE *input = argc == 5 ? fopen(argv[1], "rb") : NULL, *output = argc == 5 ? fopen(argv[2], "wb") : NULL;
    if (input == NULL || output == NULL || fread(in, sizeof in, 1, input) != 1
        || fread(branch, sizeof branch, 1, input) != 1) {
        return 1;
    }
    const int rounds = atoi(argv[3]);
    const double span = atof(argv[4]);
    for (int k = 0; k < LANES; ++k) {
        for (long i = 0; i < ROWS*SIZE_OUT; ++i) {
            out[i] = 0.0/0.0;
        }
        lanes[k](in, out, branch, ROWS, 1);
        if (fwrite(out, sizeof out, 1, output) != 1) {
            return 1;
        }
        order[k] = k;
        /* How many passes take about `span`; these also warm up caches and branch predictor. */
        for (passes[k] = 1; seconds(lanes[k], in, out, branch, passes[k]) < 0.25*span; passes[k] *= 4) {
        }
        passes[k] = (long)((double)passes[k]*span/seconds(lanes[k], in, out, branch, passes[k])) + 1;
    }
    if (fclose(output) != 0) {
        return 1;
    }
    for (int round = 0; round < rounds; ++round) {
        for (int k = LANES - 1; k > 0; --k) {
            const int other = below(k + 1), kept = order[k];
            order[k] = order[other];
            order[other] = kept;
        }
        for (int k = 0; k < LANES; ++k) {
            const int one = order[k];
            taken[one] = 1e9*seconds(lanes[one], in, out, branch, passes[one])/(double)(passes[one]*ROWS);
        }
        for (int k = 0; k < LANES; ++k) {
            printf("%.6g%c", taken[k], k + 1 < LANES ? ' ' : '\n');
        }
    }
    return 0;
}
