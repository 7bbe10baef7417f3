/* The engine's types and functions, for C and, without its preprocessor lines, for cffi; include transfer.h. */
/* Conventions: SI units (m, kg, s, N, rad), world axes unless stated otherwise. In the sizes below BODIES is
 * SYMGEN_TRANSFER_BODIES of transfer_sizes.h, and so on; that file also lists the numbers of bodies, freedoms and
 * forces. Bodies are in the order of the tables. The caller owns all arrays. */

typedef struct symgen_transfer_workspace symgen_transfer_workspace;

/* An explicit Runge-Kutta scheme: transfer_schemes.h of `symgen generate` has two of them. */
typedef struct {
    /* slopes of a step, 1 to width - 1; slope `stages` is at its end, later ones are for the interpolant */
    int32_t stages;
    int32_t width;        /* total number of slopes, 2 to 16 */
    const double *nodes;  /* [width] time of each slope, as a fraction of the step */
    /* [width][width] weights of the slopes before each; row `stages` holds those of the step, their sum is 1 */
    const double *slopes;
    /* [width] weights of the error estimate of order 5; used if tolerance > 0, then not all zero */
    const double *fine;
    const double *coarse; /* [width] weights of the estimate of order 3; used if tolerance > 0 */
    const double *dense;  /* [4][width] weights of the interpolant; used if tolerance > 0 */
} symgen_transfer_scheme;

typedef struct {
    /* s, finite, end > start */
    double start;
    double end;
    /* 0: fixed steps; > 0: steps are chosen so that the error of each stays below it: rad, m; rates rad/s, m/s,
     * relative if above 1. Errors of steps add up: use a hundredth of the accuracy required */
    double tolerance;
    double length;        /* > 0: the unit of length of tables and states, m; 1 in what `symgen generate` writes */
    double recall;        /* >= 0: rate of the Baumgarte stabilisation of loops, 1/s; 0: none */
    int32_t project;      /* not 0: loops are closed after every step */
    /* >= 1: number of equal spans between samples; there are samples + 1 rows */
    int64_t samples;
    int64_t every;        /* >= 1: steps in each span, for fixed steps */
    int64_t most;         /* >= 1: largest number of steps tried; at least samples*every for fixed steps */
} symgen_transfer_settings;

typedef struct {
    /* [COORDINATES_AND_RATES] in: at the start; out: at `time`. Values of the tree's motions (rad, m; up to 1e9), unit
     * quaternions of its ball joints (scalar first, relative to the frame before), then rates of the unknowns (rad/s,
     * m/s; for a ball joint its angular velocity in the axes of the frame before it) */
    double *coordinates_and_rates;
    /* [JOINT_FORCES] in, out: freedom of each joint force, rad or m, to count its whole turns */
    double *angle;
    double *watched;        /* [WATCHED] in, out: angles of the joints, rad, to count their whole turns */
    /* [CLOSINGS] in, out: independent rows of each closing of loops; -1: find them at the start */
    int32_t *rank;
    double step;            /* > 0 if tolerance > 0: in: the first step to try, s; out: the next one */
    double time;            /* out: time reached, s: rows of samples up to it are written */
    /* out: residual of the loops if they could not be closed, else 0; m or rad */
    double opened;
    /* out: steps taken, and steps tried again with a smaller one */
    int64_t steps;
    int64_t refused;
    /* out: number of the body whose joint moves no mass, for SYMGEN_SINGULAR, else -1 */
    int32_t body;
} symgen_transfer_state;

/* Rows of samples: samples + 1, the first at the start. Values of bodies are those of their centres of mass. */
typedef struct {
    /* [rows][BODIES][7] position of the centre of mass, m, and unit quaternion, scalar first, body to world */
    double *poses;
    double *twists;        /* [rows][BODIES][6] its velocity, m/s, then the angular velocity, rad/s */
    double *accelerations; /* [rows][BODIES][6] its acceleration, m/s^2, then the angular acceleration, rad/s^2 */
    /* [rows][BODIES][6] force, N, and torque about the centre of mass, N m, of all its joints */
    double *reactions;
    double *angles;        /* [rows][WATCHED] of the joints, rad, without jumps */
    /* [rows][5] kinetic energy, potential energy, J; largest violation of a constraint, m or rad; 0; 0 */
    double *scalars;
#if SYMGEN_TRANSFER_MODES > 0
    double *modes;         /* [rows][3][MODES] of all beams: values, rates, accelerations; m, m/s, m/s^2 */
#endif
} symgen_transfer_samples;

/* Bytes of a workspace. It is aligned like doubles, need not be initialised, and serves one call at a time. */
int64_t symgen_transfer_workspace_size(void);

/* Integrate from settings->start to settings->end and write samples.
 *
 * active: [PUSHES] not 0 if a force or torque of the mechanism acts; it acts, or does not, throughout a run.
 * progress: two numbers; [0] is written: millionths of the span done; [1] is read: not 0 to stop the run.
 *
 * SYMGEN_OK            the end is reached, all rows are written and finite.
 * SYMGEN_BAD_INPUT     an argument is null, not finite or out of the range given above: nothing is written; or, at
 *                      state->time, a law or force has no value, such as a spring whose ends meet.
 * SYMGEN_SINGULAR      a joint moves no mass: state->body.
 * SYMGEN_NOT_CONVERGED loops could not be closed (state->opened > 0); the motion diverged: the step is too long; steps
 *                      became too small; `most` steps were tried; progress[1] was set.
 *
 * After any status other than SYMGEN_OK rows up to state->time are complete. A run may continue from that state. */
symgen_status symgen_transfer_run(
    symgen_transfer_workspace *w, const symgen_transfer_scheme *scheme, const symgen_transfer_settings *settings,
    symgen_transfer_state *state, const int32_t *active, const symgen_transfer_samples *out,
    volatile int64_t *progress);
