/*
 * Part of symgen's engine of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */
/* A joint, or the modes of a beam, eliminated from the inertia at its port. */
#ifndef SYMGEN_TRANSFER_JOINTS_H
#define SYMGEN_TRANSFER_JOINTS_H

#include "transfer_closings.h"

/* A wrench [m q] through up to three (`count`) unknowns of a joint: the part passed on, r = H^T P g, and D^-1 r. */
static inline void pass_joint(
    int32_t count, const double *g, const double *h, const double *ka, const double *di,
    double *left, double *r, double *turned)
{
    (void)count; /* if all joints have one unknown */
#if AT_ONCE > 2
    if (count == 3) {
        (void)solve_loop_column_hinge_3(g, h, ka, di, left, r, turned);
    } else
#endif
#if AT_ONCE > 1
    if (count == 2) {
        (void)solve_loop_column_hinge_2(g, h, ka, di, left, r, turned);
    } else
#endif
    {
        (void)solve_loop_column_hinge_1(g, h, ka, di, left, r, turned);
    }
}

/* An entry of a row of a loop beyond them: minus r . k. */
static inline void pass_row(int32_t count, const double *r, const double *k, double *entry)
{
    (void)count;
#if AT_ONCE > 2
    if (count == 3) {
        (void)solve_loop_row_hinge_3(*entry, r, k, entry);
    } else
#endif
#if AT_ONCE > 1
    if (count == 2) {
        (void)solve_loop_row_hinge_2(*entry, r, k, entry);
    } else
#endif
    {
        (void)solve_loop_row_hinge_1(*entry, r, k, entry);
    }
}

#if BEAMS
/* Add the contribution of a mode at a mass point of beam k. */
static void add_mode(
    const double *r, const double *force, double mass, const double *shape, double draws, int32_t j,
    double (*column)[3], bent_beam *bent)
{
    double coupling[6];
    double load;
    (void)solve_beam_station_mode(
        mass, bent->held, bent->held + 3, bent->held + 6, r, force, shape, draws, column[j], coupling, &load);
    for (int32_t i = 0; i < 6; ++i) {
        bent->coupling[j][i] += coupling[(i + 3)%6];
    }
    bent->driving[j] += load;
    for (int32_t i = 0; i <= j; ++i) {
        double between;
        (void)solve_beam_mode_pair(mass, column[i], column[j], &between);
        bent->mass[j][i] += between;
    }
}

/* Add polar inertia and stiffness of the modes of beam k. */
static void add_sections(const symgen_transfer_workspace *w, int32_t k, bent_beam *bent)
{
    const beam_row *beam = BEAM + k;
    double spin = 0;
    double turned[6];
    double load[3];
    for (int32_t j = 0; j < beam->modes; ++j) {
        const int32_t mode = beam->mode + j;
        double coupling[3];
        double force;
        double spun;
        (void)solve_beam_mode_force(
            BEAM_MODE[mode].stiffness, BEAM_MODE[mode].damping, BEAM_MODE[mode].turning, bent->held,
            w->now.value[beam->motion + j],
            w->rate[beam->unknown + j], coupling, &force, &spun);
        bent->mass[j][j] += BEAM_MODE[mode].spinning;
        bent->driving[j] += force;
        add_to(bent->coupling[j], coupling, 3);
        spin += spun;
    }
    (void)solve_beam_twist(beam->polar, bent->held, w->twist[beam->held] + 3, spin, turned, load);
    for (int32_t i = 0, index = 0; i < 3; ++i) {
        bent->load[3 + i] += load[i];
        for (int32_t j = 0; j <= i; ++j, ++index) {
            bent->inertia[(i + 3)*(i + 4)/2 + 3 + j] += turned[index];
        }
    }
}
#endif

#if BEAMS
/* Inertia and loads of beam k, about its held end. */
static void bend(symgen_transfer_workspace *w, int32_t k)
{
    const beam_row *beam = BEAM + k;
    bent_beam *bent = w->bent + k;
    for (int32_t i = 0; i < 21; ++i) {
        bent->inertia[i] = 0;
    }
    set_to(bent->load, NOTHING);
    for (int32_t j = 0; j < beam->modes; ++j) {
        set_to(bent->coupling[j], NOTHING);
        bent->driving[j] = 0;
        for (int32_t i = 0; i <= j; ++i) {
            bent->mass[j][i] = 0;
        }
    }
    for (int32_t p = 0; p < STATIONS; ++p) {
        double r[3];
        double speed[3];
        double force[3];
        double inertia[21];
        double load[6];
        double column[ROOM_MOST_MODES][3];
        section s;
        find_section(&w->now, w->rate, k, p, &s);
        (void)solve_beam_station(
            STATION_MASS[k][p], bent->held, bent->held + 3, bent->held + 6, s.at, s.rate, s.drawn,
            w->twist[beam->held] + 3, GRAVITY, r, speed, force, inertia, load);
        add_to(bent->inertia, inertia, 21);
        add_to(bent->load, load, 6);
        for (int32_t j = 0; j < beam->modes; ++j) {
            const double *shape = SECTION_SHAPE[(STATIONS + 1)*(beam->mode + j) + p];
            add_mode(r, force, STATION_MASS[k][p], shape, s.draws[j], j, column, bent);
        }
    }
    add_sections(w, k, bent);
}

/* Add inertia and loads of all beams to the bodies that hold them. */
static void add_beams(symgen_transfer_workspace *w)
{
    for (int32_t k = 0; k < BEAMS; ++k) {
        const int32_t held = BEAM[k].held;
        bend(w, k);
        for (int32_t i = 0; i < 21; ++i) {
            w->inertia[held][i] -= w->bent[k].inertia[i];
        }
        for (int32_t i = 0; i < 6; ++i) {
            w->load[held][i] += w->bent[k].load[(i + 3)%6];
        }
    }
}
#endif

#if BEAMS
/* The power of a wrench [m q] on a motion [rdd wd]. */
static inline double power_on(const double *g, const double *a)
{
    double found;
    (void)solve_loop_row_swept(0, g, a, &found);
    return found;
}

/* Solve D x = r with Cholesky's factor of D. */
static void solve_modes(const bent_beam *bent, int32_t count, const double *r, double *x)
{
    for (int32_t i = 0; i < count; ++i) {
        x[i] = r[i];
        for (int32_t j = 0; j < i; ++j) {
            x[i] -= bent->factor[i][j]*x[j];
        }
        x[i] /= bent->factor[i][i];
    }
    for (int32_t i = count - 1; i >= 0; --i) {
        for (int32_t j = i + 1; j < count; ++j) {
            x[i] -= bent->factor[j][i]*x[j];
        }
        x[i] /= bent->factor[i][i];
    }
}

/* Factorise D = H^T M H + mass; `along` is the wrench of the modes on the joint, [m q]; false if a mode moves no mass.
 * */
static int32_t factorise_modes(
    symgen_transfer_workspace *w, int32_t b, bent_beam *bent, int32_t count, double (*along)[6])
{
    double (*h)[6] = w->now.column + BODY[b].first_unknown;
    for (int32_t i = 0; i < count; ++i) {
        double whole = bent->mass[i][i] + power_on(along[i], h[i]);
        double made;
        (void)solve_riccati_hinge_size(h[i], w->size[b], &made);
        made = IDLE*(whole + made);
        for (int32_t j = 0; j <= i; ++j) {
            double sum = bent->mass[i][j] + power_on(along[i], h[j]);
            for (int32_t m = 0; m < j; ++m) {
                sum -= bent->factor[i][m]*bent->factor[j][m];
            }
            if (j < i) {
                bent->factor[i][j] = sum/bent->factor[j][j];
            } else if (sum > made) {
                bent->factor[i][i] = sqrt(sum);
                w->pivot[BODY[b].first_unknown + i] = sum;
            } else {
                w->body = b;
                return 0;
            }
        }
    }
    return 1;
}
#endif

#if BEAMS
/* A wrench g [m q] through the modes: the part passed on; r = H^T P g, added to the generalised forces; -D^-1 r. */
static void pass_modes(
    const symgen_transfer_workspace *w, int32_t k, double *g, double *r, double *turned)
{
    const int32_t count = BEAM[k].modes;
    const int32_t first = BEAM[k].unknown;
    for (int32_t j = 0; j < count; ++j) {
        r[j] += power_on(g, w->now.column[first + j]);
    }
    for (int32_t j = 0; j < count; ++j) {
        for (int32_t i = 0; i < 6; ++i) {
            g[(i + 3)%6] -= w->gain[6*(first + j) + i]*r[j];
        }
    }
    solve_modes(w->bent + k, count, r, turned);
    for (int32_t j = 0; j < count; ++j) {
        turned[j] = -turned[j];
    }
}

/* Loads through the modes of a beam, and l of the rows that are open at its far end. */
static void carry_through_modes(symgen_transfer_workspace *w, int32_t b, int32_t swept)
{
    const int32_t k = BEAM_AT[b];
    const int32_t first = BEAM[k].unknown;
    const int32_t count = BEAM[k].modes;
    const bent_beam *bent = w->bent + k;
    double driven[ROOM_MOST_MODES];
    for (int32_t j = 0; j < count; ++j) { /* modes move with the carrier, and swept terms are relative to it */
        driven[j] = swept ? bent->driving[j] + power_on(bent->felt[j], w->swept[b]) : 0;
    }
    pass_modes(w, k, w->load[b], driven, w->shift + first);
    for (int32_t o = LOOPS_AT[b].first_kept; o < LOOPS_AT[b].end_open; ++o) {
        for (int32_t j = 0; j < count; ++j) {
            w->term[OPEN_ROW[o].row] -= w->along[o][j]*w->shift[first + j];
        }
    }
}

/* Accelerations of the modes, and the acceleration of the far end from that at the held end. */
static void spread_modes(symgen_transfer_workspace *w, int32_t b, double *found)
{
    const int32_t k = BEAM_AT[b];
    const int32_t first = BEAM[k].unknown;
    const int32_t count = BEAM[k].modes;
    double held[ROOM_MOST_MODES];
    double *accelerations = w->coordinate_acceleration + first;
    for (int32_t j = 0; j < count; ++j) {
        held[j] = 0;
        for (int32_t o = LOOPS_AT[b].first_kept; o < LOOPS_AT[b].end_open; ++o) {
            held[j] += w->along[o][j]*w->multiplier[OPEN_ROW[o].row];
        }
    }
    solve_modes(w->bent + k, count, held, accelerations);
    for (int32_t j = 0; j < count; ++j) {
        accelerations[j] -= w->shift[first + j];
        for (int32_t i = 0; i < 6; ++i) {
            accelerations[j] -= w->gain[6*(first + j) + i]*found[i];
        }
    }
    for (int32_t j = 0; j < count; ++j) {
        for (int32_t i = 0; i < 6; ++i) {
            found[i] += accelerations[j]*w->now.column[first + j][i];
        }
    }
}
#endif

#if BEAMS
/* Eliminate the modes from the multipliers' terms of the loops that are open at a far end. */
static void eliminate_modes_from_loops(symgen_transfer_workspace *w, int32_t b)
{
    const int32_t k = BEAM_AT[b];
    const int32_t first = BEAM[k].unknown;
    const int32_t count = BEAM[k].modes;
    for (int32_t o = LOOPS_AT[b].first_kept; o < LOOPS_AT[b].end_open; ++o) {
        double *r = w->along[o];
        for (int32_t j = 0; j < count; ++j) {
            double size;
            (void)solve_loop_hinge_size(w->now.column[first + j], w->unit_wrench[o], w->pivot[first + j], &size);
            w->terms[OPEN_ROW[o].row] += size;
            r[j] = 0;
        }
        pass_modes(w, k, w->unit_wrench[o], r, w->turned[o]);
        for (int32_t q = LOOPS_AT[b].first_kept; q <= o; ++q) {
            const int32_t one = LOOP_ROW[OPEN_ROW[o].row].slot;
            const int32_t two = LOOP_ROW[OPEN_ROW[q].row].slot;
            for (int32_t j = 0; j < count; ++j) {
                w->link[one][two] -= r[j]*w->turned[q][j];
            }
            w->link[two][one] = w->link[one][two];
        }
    }
}

/* Eliminate the modes of a beam from the inertia at its far end; the modes also depend on its carrier. */
static int32_t eliminate_modes(symgen_transfer_workspace *w, int32_t b)
{
    const int32_t k = BEAM_AT[b];
    const int32_t first = BEAM[k].unknown;
    const int32_t count = BEAM[k].modes;
    bent_beam *bent = w->bent + k;
    double *s = w->inertia[b];
    double along[ROOM_MOST_MODES][6];
    double lever[3];
    (void)solve_lever(w->now.pose[BODY[b].parent], w->now.pose[b], lever);
    for (int32_t j = 0; j < count; ++j) {
        double held[6];
        (void)solve_riccati_swept(s, NOTHING, w->now.column[first + j], held); /* S h */
        (void)solve_loop_column_shift(bent->coupling[j], lever, bent->felt[j]);
        for (int32_t i = 0; i < 6; ++i) {
            along[j][i] = -held[i];
        }
    }
    if (!factorise_modes(w, b, bent, count, along)) {
        return 0;
    }
    for (int32_t i = 0; i < 6; ++i) {
        double row[ROOM_MOST_MODES];
        double found[ROOM_MOST_MODES];
        for (int32_t j = 0; j < count; ++j) {
            along[j][(i + 3)%6] += bent->felt[j][(i + 3)%6];
            row[j] = along[j][(i + 3)%6];
        }
        solve_modes(bent, count, row, found);
        for (int32_t j = 0; j < count; ++j) {
            w->gain[6*(first + j) + i] = found[j];
        }
    }
    for (int32_t r = 0, index = 0; r < 6; ++r) {
        for (int32_t c = 0; c <= r; ++c, ++index) {
            for (int32_t j = 0; j < count; ++j) {
                s[index] += along[j][(r + 3)%6]*w->gain[6*(first + j) + c];
            }
        }
    }
    eliminate_modes_from_loops(w, b);
    return 1;
}
#endif

/* Eliminate up to three (`count`) unknowns of a joint from the inertia at its port; false if one moves no mass: its
 * pivot is then only rounding of the terms that cancel in it, or of the terms of the inertia. */
static int32_t eliminate_unknowns(symgen_transfer_workspace *w, int32_t b, int32_t first, int32_t count)
{
    double *s = w->inertia[b];
    double *h = w->hinge + 6*first;
    double *ka = w->gain + 6*first;
    double *di = w->root[first];
    double pivot[3] = {0, 0, 0};
    double scale[3] = {0, 0, 0};
    for (int32_t k = 0; k < count; ++k) {
        for (int32_t i = 0; i < 6; ++i) {
            h[count*i + k] = w->now.column[first + k][i];
        }
    }
#if AT_ONCE > 2
    if (count == 3) {
        (void)solve_riccati_hinge_inertia_3(s, h, s, ka, di, pivot, scale);
    } else
#endif
#if AT_ONCE > 1
    if (count == 2) {
        (void)solve_riccati_hinge_inertia_2(s, h, s, ka, di, pivot, scale);
    } else
#endif
    {
        (void)solve_riccati_hinge_inertia_1(s, h, s, ka, di, pivot, scale);
    }
    for (int32_t k = 0; k < count; ++k) {
        double made;
        (void)solve_riccati_hinge_size(w->now.column[first + k], w->size[b], &made);
        if (!(pivot[k] > IDLE*(scale[k] + made))) {
            w->body = b;
            return 0;
        }
        w->pivot[first + k] = pivot[k];
    }
    return 1;
}

/* The same elimination in the terms of the loops that are open there: L_ij -= r_i . kl_j. */
static void eliminate_from_loops(symgen_transfer_workspace *w, int32_t b, int32_t first, int32_t count)
{
    const double *h = w->hinge + 6*first;
    const double *ka = w->gain + 6*first;
    const double *di = w->root[first];
    const int32_t index = first - BODY[b].first_unknown;
    for (int32_t o = LOOPS_AT[b].first_kept; o < LOOPS_AT[b].end_open; ++o) {
        double *g = w->unit_wrench[o];
        double *r = w->along[o] + index;
        for (int32_t k = 0; k < count; ++k) { /* bound of r, from the lengths of its parts */
            double size;
            (void)solve_loop_hinge_size(w->now.column[first + k], g, w->pivot[first + k], &size);
            w->terms[OPEN_ROW[o].row] += size;
        }
        pass_joint(count, g, h, ka, di, g, r, w->turned[o]);
        for (int32_t q = LOOPS_AT[b].first_kept; q <= o; ++q) {
            const int32_t one = LOOP_ROW[OPEN_ROW[o].row].slot;
            const int32_t two = LOOP_ROW[OPEN_ROW[q].row].slot;
            pass_row(count, r, w->turned[q], &w->link[one][two]);
            w->link[two][one] = w->link[one][two];
        }
    }
}

/* Both; called with constant counts, so that the compiler has a version for each. */
static inline int32_t eliminate_at_once(symgen_transfer_workspace *w, int32_t b, int32_t first, int32_t count)
{
    if (!eliminate_unknowns(w, b, first, count)) {
        return 0;
    }
    eliminate_from_loops(w, b, first, count);
    return 1;
}

/* Eliminate all unknowns of a joint, the last ones first: they are measured relative to those before them. */
static int32_t eliminate_joint(symgen_transfer_workspace *w, int32_t b)
{
#if BEAMS
    if (BEAM_AT[b] >= 0) {
        return eliminate_modes(w, b);
    }
#endif
    for (int32_t end = BODY[b].end_unknown; end > BODY[b].first_unknown;) {
        /* as in the sweep back */
        const int32_t left = end - BODY[b].first_unknown;
        const int32_t count = left%3 > 0 ? left%3 : 3;
        int32_t moves = 0;
        end -= count;
#if AT_ONCE > 2
        if (count == 3) {
            moves = eliminate_at_once(w, b, end, 3);
        } else
#endif
#if AT_ONCE > 1
        if (count == 2) {
            moves = eliminate_at_once(w, b, end, 2);
        } else
#endif
        {
            moves = eliminate_at_once(w, b, end, 1);
        }
        if (!moves) {
            return 0;
        }
    }
    return 1;
}

/* Pass inertia and open loops on to the carrier. */
static void pass_on(symgen_transfer_workspace *w, int32_t b)
{
    const int32_t parent = BODY[b].parent;
    double *lever = w->lever[b];
    double added[21];
    double size[2];
    if (parent == GROUND) {
        return;
    }
    (void)solve_lever(w->now.pose[b], w->now.pose[parent], lever);
    (void)solve_riccati_input_inertia(w->inertia[b], lever, added);
    add_to(w->inertia[parent], added, 21);
    (void)solve_riccati_input_size(w->size[b], lever, size);
    add_to(w->size[parent], size, 2);
    for (int32_t o = LOOPS_AT[b].first_kept; o < LOOPS_AT[b].end_open; ++o) {
        double moved[6];
        (void)solve_loop_column_shift(w->unit_wrench[o], lever, moved);
        add_to(w->unit_wrench[OPEN_ROW[o].next], moved, 6);
    }
}

#endif /* SYMGEN_TRANSFER_JOINTS_H */
