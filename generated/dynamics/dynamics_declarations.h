/* The engine's types and functions, for C and for cffi; include dynamics.h. */
typedef struct symgen_dynamics_workspace symgen_dynamics_workspace;

typedef struct {
    double start;         /* time of the state, s */
    double step;          /* > 0: h, s */
    double tolerance;     /* 0 to 1e-3: for Newton's corrections, units of length or rad */
    double renewal;       /* >= 0: after larger corrections the free directions are found again */
    double coarse;        /* >= 0: growing corrections above this end the iteration */
    int64_t steps;        /* >= 0: number of steps */
    int64_t every;        /* >= 1: steps per sample; there are steps/every + 1 rows */
    int32_t most_iterations; /* >= 1: Newton iterations per step */
} symgen_dynamics_settings;

/* In: state at the start; out, after SYMGEN_OK: state at the end. */
typedef struct {
    double *coordinates;  /* values of the tree's motions and unit quaternions of its ball joints, or poses of the
                           * centres of mass, 7 per body */
    double *rate;         /* [UNKNOWNS] per s: first guess, and direction out of a singular start */
    double *twist;        /* [BODIES][6] velocity of the centre of mass, angular velocity, world */
    double *angle;        /* [JOINT_FORCES] freedom of each joint force, to count its whole turns */
    double *watched;      /* [WATCHED] angles of the joints, to count their whole turns */
    double correction;    /* out: Newton's last correction, if it failed */
} symgen_dynamics_state;

/* Rows of samples, the first at the start. */
typedef struct {
    double *poses;        /* [rows][BODIES][7] position of the centre of mass, unit quaternion, scalar first */
    double *twists;       /* [rows][BODIES][6] its velocity, angular velocity, world */
    double *accelerations; /* [rows][BODIES][6] */
    double *reactions;    /* [rows][BODIES][6] force and torque of all its joints at the centre of mass, world */
    double *angles;       /* [rows][WATCHED] of the joints, without jumps */
    double *scalars;      /* [rows][5] kinetic, potential energy [J]; violation; iterations; last correction */
} symgen_dynamics_samples;

/* Bytes of a workspace. It is aligned like doubles, need not be initialised, and serves one call at a time. */
int64_t symgen_dynamics_workspace_size(void);

/* Take steps from a state and write samples: by central differences, or by variational steps in stages.
 *
 * active: [PUSHES] not 0 if a force or torque of the mechanism acts; it acts, or does not, throughout a run.
 * progress: two numbers; [0] is written: the steps done; [1] is read: not 0 to stop the run.
 * fractions: [stages] parts of the step, in order; their sum is 1.
 *
 * SYMGEN_OK            all steps are taken, all rows and the state are written.
 * SYMGEN_BAD_INPUT     an argument is null, not finite or out of the range given above: nothing is written; or,
 *                      during the run, a law or force has no value.
 * SYMGEN_SINGULAR      the equations of a step, or of velocities, have no unique solution.
 * SYMGEN_DEGENERATE    a step converged, but dependent constraints stay open.
 * SYMGEN_NOT_CONVERGED Newton's method did not converge: state->correction is its last one; or progress[1] was set.
 *
 * After any status other than SYMGEN_OK the rows of the first progress[0] steps are complete, and the state's
 * arrays are unchanged. */
symgen_status symgen_dynamics_run_central(
    symgen_dynamics_workspace *w, const symgen_dynamics_settings *settings, symgen_dynamics_state *state,
    const int32_t *active, const symgen_dynamics_samples *out, volatile int64_t *progress);

symgen_status symgen_dynamics_run_variational(
    symgen_dynamics_workspace *w, const symgen_dynamics_settings *settings, int32_t stages, const double *fractions,
    symgen_dynamics_state *state, const int32_t *active, const symgen_dynamics_samples *out,
    volatile int64_t *progress);
