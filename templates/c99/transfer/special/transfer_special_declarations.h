/* What special engines share, for C and for cffi; include transfer_special.h. */
typedef struct {              /* an explicit Runge-Kutta scheme of `width` slopes, docs/dynamics.md */
    int32_t stages;           /* slopes of a step; the next slope is at its end, further ones are for the interpolant */
    int32_t width;
    const double *nodes;  /* width */
    const double *slopes; /* width rows of width; row `stages` holds the weights of the step */
    const double *fine;   /* width: weights of the error estimate of order 5 */
    const double *coarse; /* width: weights of the estimate of order 3 */
    const double *dense;  /* 4 rows of width: weights of the interpolant */
} symgen_transfer_special_scheme;

typedef struct {
    /* s */
    double start;
    double end;
    double tolerance;  /* for the error of a step, rad and rad/s; 0: fixed steps */
    int64_t samples;   /* number of spans between samples, at least 1 */
    int64_t every;     /* fixed steps in each span, at least 1 */
    int64_t most;      /* largest number of steps tried; at least samples*every for fixed steps */
} symgen_transfer_special_settings;

typedef struct {
    double *state;          /* in: at the start; out: at the time reached */
    double step;            /* next step to try, s, with automatic steps */
    double time;            /* out: time of the state, s */
    /* out: steps taken, and steps tried again with a smaller one */
    int64_t steps;
    int64_t refused;
    int32_t body;           /* out: the body at whose joint the recursion failed, else -1 */
} symgen_transfer_special_run;

typedef struct {              /* samples + 1 rows, the first at the start; of the centres of mass, world */
    double *poses;
    double *twists;
    double *accelerations;
} symgen_transfer_special_samples;

/* `progress` has two numbers: [0] is written, millionths done; [1] is read, not zero to stop the run. */

typedef struct {              /* a loop: a joint in addition to those of the tree */
    double point[2][3];       /* its ends on two bodies, from their centres of mass, body axes; ground: world; m */
    int32_t body[2];          /* -1: the ground */
} symgen_transfer_special_loop;

typedef struct {              /* a loop at a body that carries one of its ends, or both: then it closes there */
    int32_t loop;
    int32_t source[2];        /* for each end: its strand at a carried body; -2: the end is on this body; -1: neither */
    int32_t input[2];         /* the body of that strand, else -1 */
    int32_t closes;           /* not 0: this body carries both */
} symgen_transfer_special_strand;

typedef struct {
    const symgen_transfer_special_loop *loop;
    const symgen_transfer_special_strand *strand; /* body by body; loops that close at a body come first */
    const int32_t *first;     /* bodies + 2: index of a body's first strand; the last row is the ground */
    int32_t loops;            /* 0: the other fields are not used */
} symgen_transfer_special_loops;
