/* Types and functions in minimal coordinates, for C and for cffi; include dynamics_minimal.h. */
typedef struct symgen_dynamics_minimal_workspace symgen_dynamics_minimal_workspace;

typedef struct {          /* an explicit Runge-Kutta scheme of `width` slopes, docs/dynamics.md */
    int32_t stages;       /* slopes of a step; the next slope is at its end, further ones are for the interpolant */
    int32_t width;
    const double *nodes;  /* width */
    const double *slopes; /* width rows of width; row `stages` holds the weights of the step */
    const double *fine;   /* width: weights of the error estimate of order 5 */
    const double *coarse; /* width: weights of the estimate of order 3 */
    const double *dense;  /* 4 rows of width: weights of the interpolant */
} symgen_dynamics_minimal_scheme;

typedef struct {
    /* s */
    double start;
    double end;
    double tolerance;     /* for the error of a step, m or rad; 0: fixed steps */
    int64_t samples;      /* number of spans between samples */
    int64_t every;        /* fixed steps in each span */
    int64_t most;         /* steps */
} symgen_dynamics_minimal_settings;

typedef struct {
    double *coordinates_and_rates;
    double *angle;        /* of each joint force's freedom, to count its whole turns */
    int32_t *branch;      /* of each group */
    double step;          /* next step to try, s, with automatic steps */
    double time;          /* out: time reached, s */
    /* out: steps taken, and steps tried again with a smaller one */
    int64_t steps;
    int64_t refused;
    int32_t group;        /* out: number of the group that could not be solved, else 0 */
    int32_t body;         /* out: index of the fastest body if steps became too small, else -1 */
    int32_t crowded;      /* out: 1 if that group's regions did not reach the next position, else 0 */
} symgen_dynamics_minimal_state;

typedef struct {          /* rows of samples, the first at the start */
    double *poses;        /* 7 per body */
    double *twists;       /* 6 per body */
    double *accelerations; /* 6 per body */
    double *reactions;    /* 6 per body: force and torque of all its joints at the centre of mass, world */
    double *coordinates;  /* not their rates */
    double *scalars;      /* kinetic, potential energy [J]; violation; 0; 0 */
} symgen_dynamics_minimal_samples;

int64_t symgen_dynamics_minimal_workspace_size(void);

symgen_status symgen_dynamics_run_minimal(
    symgen_dynamics_minimal_workspace *w, const symgen_dynamics_minimal_scheme *scheme,
    const symgen_dynamics_minimal_settings *settings, symgen_dynamics_minimal_state *state, const int32_t *active,
    const symgen_dynamics_minimal_samples *out, volatile int64_t *progress);
