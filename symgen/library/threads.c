/* A batch that several threads solve. Rows do not depend on one another, so results do not depend on the threads. */
#include "threads.h"

#if defined(__linux__) && !defined(__ANDROID__)
#include <pthread.h>
#include <sched.h>
#endif

/* In lanes, where a thread's range is longer than this, so are its parts: longer than SYMGEN_FAR (symgen_lanes.h), which
 * counts reals alone, so that what comes from no cache is asked for early. */
enum { BYTES_OF_LARGE_PARTS = 11 << 19 };

/* A new thread begins on another processor than the thread that starts it. Linux may leave it where it was started, behind
 * a thread that goes on calculating, for milliseconds, though another processor is idle: those of a virtual machine can
 * look busy to it. So the new thread may run everywhere but here until it runs, and from then on where it likes. Where
 * there are more processors than a set holds, nothing is known of them and nothing is moved. */
#if defined(__linux__) && !defined(__ANDROID__)
typedef struct {
    cpu_set_t set;
    bool known;
} processors;

static processors allowed_processors(void)
{
    processors allowed = {0};
    allowed.known = sched_getaffinity(0, sizeof allowed.set, &allowed.set) == 0;
    return allowed;
}

/* Keep a thread that has not ended away from this processor. On Linux, Python's number of a thread is its pthread_t. */
static void move_away(unsigned long thread, const processors *allowed)
{
    const int here = sched_getcpu();
    if (allowed->known && here >= 0 && here < CPU_SETSIZE) {
        cpu_set_t elsewhere = allowed->set;
        CPU_CLR((size_t)here, &elsewhere);
        if (CPU_COUNT(&elsewhere) > 0) {
            (void)pthread_setaffinity_np((pthread_t)thread, sizeof elsewhere, &elsewhere);
        }
    }
}

/* Tell whether a thread has a processor of its own: more of them would only crowd where this one is not. */
static bool is_apart(int thread, const processors *allowed)
{
    return allowed->known && thread < CPU_COUNT(&allowed->set);
}

static void run_anywhere(const processors *allowed)
{
    if (allowed->known) {
        (void)sched_setaffinity(0, sizeof allowed->set, &allowed->set);
    }
}
#else
typedef char processors;
#define allowed_processors() 0
#define move_away(thread, allowed) ((void)(thread), (void)(allowed))
#define is_apart(thread, allowed) false
#define run_anywhere(allowed) (void)(allowed)
#endif

typedef struct share share;

/* A batch that several threads solve. Each has a range of rows of its own, which its cache may hold from the last call,
 * and takes them in parts: half of what is left, for a batch of many rows is quicker by the row, but at least `least` rows:
 * a quarter of the range or, where that is less, as many as are worth a thread. Nor are fewer than `fewest` left over. But
 * the first thread looks for signals between parts, so they have at most about `most` rows. One that is done takes parts from the end of the longest range: rows that a late or slow thread has not begun. */
typedef struct {
    const solver *by;
    size_t pointers;
    void *const *first;
    const Py_ssize_t *steps;
    Py_ssize_t unit;
    Py_ssize_t least;
    Py_ssize_t fewest;
    Py_ssize_t most;
    bool stopped; /* a signal has come: nobody takes any more */
    share *shares;
    int threads;
    PyThread_type_lock turn;
    processors allowed;
} division;

/* What one of the threads has to do, rows `next` to `end`, and what it found: a status that is not OK, if there is one.
 * It lets go of `busy` when it is done. */
struct share {
    division *of;
    void **table;
    Py_ssize_t next;
    Py_ssize_t end;
    int32_t worst;
    PyThread_type_lock busy;
};

static Py_ssize_t whole_parts(const division *of, Py_ssize_t rows)
{
    return rows/of->unit*of->unit;
}

/* Take the next part; returns the number of its rows. */
static int32_t take_part(share *mine, Py_ssize_t *begin)
{
    const division *of = mine->of;
    PyThread_acquire_lock(of->turn, WAIT_LOCK);
    share *from = mine;
    for (int k = 0; k < of->threads && mine->next == mine->end; ++k) {
        share *other = &of->shares[k];
        from = other->end - other->next > from->end - from->next ? other : from;
    }
    const Py_ssize_t left = from->end - from->next;
    const Py_ssize_t wanted = whole_parts(of, Py_MIN(Py_MAX(left/2, of->least), of->most)) + of->unit;
    Py_ssize_t rows = of->stopped ? 0 : left - wanted < of->fewest ? left : wanted;
    if (from == mine || rows == 0) {
        *begin = mine->next;
        mine->next += rows;
    } else {
        *begin = Py_MAX(from->next, whole_parts(of, from->end - rows));
        rows = from->end - *begin;
        from->end = *begin;
    }
    PyThread_release_lock(of->turn);
    return (int32_t)rows;
}

/* Take a part and solve it; returns the number of its rows. */
static int32_t solve_part(share *mine)
{
    const division *of = mine->of;
    Py_ssize_t begin;
    const int32_t rows = take_part(mine, &begin);
    for (size_t k = 0; k < of->pointers; ++k) {
        mine->table[k] = (char *)of->first[k] + begin*of->steps[k];
    }
    const int32_t worst = rows > 0 ? solve_rows(of->by, rows, mine->table) : 0;
    if (mine->worst != NO_MEMORY && worst != 0) {
        mine->worst = worst;
    }
    return rows;
}

static void solve_share(void *given)
{
    share *mine = given;
    PyThread_acquire_lock(mine->of->turn, WAIT_LOCK); /* without this it may have ended when it is moved */
    PyThread_release_lock(mine->of->turn);
    run_anywhere(&mine->of->allowed);
    while (solve_part(mine) > 0) {
    }
    PyThread_release_lock(mine->busy);
}

/* Start the other threads. Where one cannot be had, the others solve its rows. */
static void start(division *of)
{
    PyThread_acquire_lock(of->turn, WAIT_LOCK); /* a thread that waits for its turn has not ended: it can be moved */
    for (int k = 1; k < of->threads; ++k) {
        share *each = &of->shares[k];
        each->busy = PyThread_allocate_lock();
        if (each->busy != NULL) {
            PyThread_acquire_lock(each->busy, WAIT_LOCK);
            const unsigned long thread = PyThread_start_new_thread(solve_share, each);
            if (thread == PYTHREAD_INVALID_THREAD_ID) {
                PyThread_release_lock(each->busy);
            } else if (is_apart(k, &of->allowed)) {
                move_away(thread, &of->allowed);
            }
        }
    }
    PyThread_release_lock(of->turn);
}

static void wait_for(const division *of)
{
    for (int k = 0; k < of->threads; ++k) {
        const share *each = &of->shares[k];
        if (each->busy != NULL) {
            PyThread_acquire_lock(each->busy, WAIT_LOCK);
            PyThread_release_lock(each->busy);
            PyThread_free_lock(each->busy);
        }
    }
}

/* Returns a status that is not OK, if a thread has found one; NO_MEMORY, if one had too little. */
static int32_t worst_of(const division *of)
{
    int32_t worst = 0;
    for (int k = 0; k < of->threads && worst != NO_MEMORY; ++k) {
        worst = of->shares[k].worst != 0 ? of->shares[k].worst : worst;
    }
    return worst;
}

/* Solve parts in the thread that has called, until there are none or a signal has come: false, with an error set. */
static bool solve_and_look(division *of)
{
    bool is_well = true;
    Py_ssize_t since = 0; /* rows since it has looked */
    PyThreadState *state = PyEval_SaveThread();
    start(of);
    for (int32_t rows; is_well && (rows = solve_part(&of->shares[0])) > 0;) {
        since += rows;
        if (since > of->most) {
            since = 0;
            PyEval_RestoreThread(state);
            is_well = PyErr_CheckSignals() == 0;
            state = PyEval_SaveThread();
        }
    }
    if (!is_well) {
        PyThread_acquire_lock(of->turn, WAIT_LOCK);
        of->stopped = true;
        PyThread_release_lock(of->turn);
    }
    wait_for(of);
    PyEval_RestoreThread(state);
    return is_well;
}

/* Give each thread a table and a range of rows. */
static void divide(division *of, void **tables, Py_ssize_t rows)
{
    Py_ssize_t bytes = 0; /* of a row */
    for (size_t k = 0; k < of->pointers; ++k) {
        bytes += of->steps[k];
    }
    if (of->by->entry != of->by->by_row && rows/of->threads > BYTES_OF_LARGE_PARTS/bytes) {
        of->fewest = BYTES_OF_LARGE_PARTS/bytes;
        of->least = Py_MAX(of->least, of->fewest);
    }
    for (int k = 0; k < of->threads; ++k) { /* 64 bits: rows times threads may be more than an index of small machines */
        share *each = &of->shares[k];
        each->of = of;
        each->table = tables + (size_t)k*of->pointers;
        each->next = k > 0 ? each[-1].end : 0;
        each->end = k + 1 < of->threads ? whole_parts(of, (Py_ssize_t)((int64_t)rows*(k + 1)/of->threads)) : rows;
    }
}

int32_t solve_in_threads(
    const solver *by, void *const *first, const Py_ssize_t *steps, size_t pointers, Py_ssize_t rows, int threads,
    Py_ssize_t least, Py_ssize_t most)
{
    share *shares = PyMem_Calloc((size_t)threads, sizeof *shares);
    void **tables = PyMem_Malloc((size_t)threads*pointers*sizeof *tables);
    division of = {
        .by = by, .pointers = pointers, .first = first, .steps = steps, .unit = rows_of_parts(by),
        .least = Py_MIN(rows/threads/4, least), .most = most, .shares = shares, .threads = threads, .turn = PyThread_allocate_lock(),
        .allowed = allowed_processors()
    };
    int32_t worst = -1;
    if (shares == NULL || tables == NULL || of.turn == NULL) {
        PyErr_NoMemory();
    } else {
        divide(&of, tables, rows);
        if (solve_and_look(&of)) {
            worst = worst_of(&of);
            if (worst == NO_MEMORY) {
                PyErr_NoMemory();
            }
        }
    }
    if (of.turn != NULL) {
        PyThread_free_lock(of.turn);
    }
    PyMem_Free(shares);
    PyMem_Free(tables);
    return worst;
}
