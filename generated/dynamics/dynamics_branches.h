/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
#ifndef SYMGEN_DYNAMICS_BRANCHES_H
#define SYMGEN_DYNAMICS_BRANCHES_H

#include "dynamics_minimal_workspace.h"
#include "dynamics_kinds.h"

/* Branches over the motion. The number of a branch, a sign or a rank, identifies it at one position only; the motion is
 * the branch that continues smoothly. Therefore there is always a region: a neighbourhood in the driven freedoms in
 * which the branches of `here` cannot meet others. A position outside it is reached through a sequence of regions.
 * Where two branches come together, the meeting is located and judged. None of this depends on steps or rates. See
 * docs/dynamics.md. */
#if BRANCHED
/* From pose `two` to pose `one`: displacement divided by the size of the mechanism, and rotation. */
static void find_difference(const double *one, const double *two, double *found)
{
    const double *q = one + 3;
    const double *p = two + 3;
    const double same = q[0]*p[0] + q[1]*p[1] + q[2]*p[2] + q[3]*p[3];
    const double twice = same < 0 ? -2 : 2;
    for (int32_t i = 0; i < 3; ++i) {
        const int32_t j = (i + 1)%3;
        const int32_t k = (i + 2)%3;
        found[i] = (one[i] - two[i])/REACH;
        found[3 + i] = twice*(p[0]*q[1 + i] - q[0]*p[1 + i] - (q[1 + j]*p[1 + k] - q[1 + k]*p[1 + j]));
    }
}

static double length_of(const double *each, int32_t count)
{
    double sum = 0;
    for (int32_t i = 0; i < count; ++i) {
        sum += each[i]*each[i];
    }
    return sqrt(sum);
}

/* Distance of a group from the prediction by the columns of a region. */
static double find_gap(const region *from, const double *u, const configuration *now, int32_t group)
{
    double worst = 0;
    for (int32_t b = 0; b < BODIES; ++b) {
        const double *before = from->seen.pose[b];
        const double *q = before + 3;
        double step[6] = {0};
        double ahead[7];
        double gap[6];
        if (BODY_GROUP[b] != group) {
            continue;
        }
        for (int32_t k = 0; k < DRIVES; ++k) {
            for (int32_t i = 0; i < 6; ++i) {
                step[i] += (u[k] - from->u[k])*from->seen.column[k][b][i];
            }
        }
        for (int32_t i = 0; i < 3; ++i) {
            const int32_t j = (i + 1)%3;
            const int32_t k = (i + 2)%3;
            ahead[i] = before[i] + step[i];
            ahead[4 + i] = q[1 + i] + (step[3 + i]*q[0] + step[3 + j]*q[1 + k] - step[3 + k]*q[1 + j])/2;
        }
        ahead[3] = q[0] - (step[3]*q[1] + step[4]*q[2] + step[5]*q[3])/2;
        find_difference(now->pose[b], ahead, gap);
        const double size = length_of(gap, 6);
        worst = size > worst ? size : worst;
    }
    return worst;
}

#if RANKED > 0
/* Find the rank of one group; the motion in `moving` is that of the previous rank, if it could be found. */
static symgen_status find_rank(
    symgen_dynamics_minimal_workspace *w, const region *from, int32_t group, const double *u, const double *ud,
    const double *udd, int32_t *branch, symgen_status status)
{
    const double allowed = from->apart[group]/4;
    const int32_t before = branch[group];
    double best = UNBOUNDED;
    int32_t found = -1;
    if (status == SYMGEN_OK) {
        take_poses(&w->moving, &w->tried);
        if (find_gap(from, u, &w->tried, group) <= allowed) {
            return SYMGEN_OK;
        }
    }
    for (int32_t rank = 0; rank < GROUP_BRANCHES[group]; ++rank) {
        int32_t unsolved = 0;
        branch[group] = rank;
        if (find_motion(u, ud, udd, branch, &w->moving, &unsolved) != SYMGEN_OK) {
            continue;
        }
        take_poses(&w->moving, &w->tried);
        const double gap = find_gap(from, u, &w->tried, group);
        if (gap < best) {
            best = gap;
            found = rank;
        }
    }
    if (found < 0 || best > allowed) {
        branch[group] = before;
        w->group = group + 1;
        return status == SYMGEN_OK ? SYMGEN_BRANCH_LOST : status;
    }
    branch[group] = found;
    return find_motion(u, ud, udd, branch, &w->moving, &w->group);
}
#endif

/* Choose for each group the branch closest to the prediction of a region; false if a group has none. `off`: distance
 * from the prediction divided by the distance between branches. */
static int32_t find_names(
    symgen_dynamics_minimal_workspace *w, const region *from, const double *u, int32_t *branch, double *off)
{
    const double none[AT_LEAST_1(DRIVES)] = {0};
    int32_t nobody = 0;
    *off = 0;
    for (int32_t g = 0; g < GROUPS; ++g) {
        branch[g] = from->branch[g];
    }
    if (find_motion(u, none, none, branch, &w->moving, &nobody) == SYMGEN_OK) { /* usually it is the same */
        double worst = 0;
        take_poses(&w->moving, &w->tried);
        for (int32_t g = 0; g < GROUPS; ++g) {
            const double gap = GROUP_BRANCHES[g] > 1 ? find_gap(from, u, &w->tried, g)/from->apart[g] : 0;
            worst = gap > worst ? gap : worst;
        }
        if (worst <= AGREES) {
            *off = worst;
            return 1;
        }
    }
    for (int32_t g = 0; g < GROUPS; ++g) {
        double best = UNBOUNDED;
        int32_t found = -1;
        int32_t unsolved = 0;
        for (int32_t each = 0; each < GROUP_BRANCHES[g] && GROUP_BRANCHES[g] > 1; ++each) {
            branch[g] = each;
            if (find_motion(u, none, none, branch, &w->moving, &unsolved) != SYMGEN_OK) {
                continue;
            }
            take_poses(&w->moving, &w->tried);
            const double gap = find_gap(from, u, &w->tried, g);
            if (gap < best) {
                best = gap;
                found = each;
            }
        }
        if (found < 0 && GROUP_BRANCHES[g] > 1) {
            return 0;
        }
        branch[g] = found < 0 ? branch[g] : found;
        *off = found >= 0 && best > *off*from->apart[g] ? best/from->apart[g] : *off;
    }
    return 1;
}

/* Motion at a position in a region, on the branches that continue those of its centre (or on exactly these: `from`
 * null). */
static symgen_status find_near(
    symgen_dynamics_minimal_workspace *w, const region *from, const double *u, const double *ud,
    const double *udd, int32_t *branch)
{
    symgen_status status = find_motion(u, ud, udd, branch, &w->moving, &w->group);
#if RANKED > 0
    for (int32_t g = 0; from && g < GROUPS; ++g) {
        if (GROUP_RANKED[g]) {
            status = find_rank(w, from, g, u, ud, udd, branch, status);
        }
    }
#else
    (void)from;
#endif
    return status;
}

static symgen_status look(
    symgen_dynamics_minimal_workspace *w, const region *from, const double *u, int32_t *branch, sight *found)
{
    double ud[AT_LEAST_1(DRIVES)] = {0};
    double udd[AT_LEAST_1(DRIVES)] = {0};
    for (int32_t k = 0; k < AT_LEAST_1(DRIVES); ++k) {
        ud[k] = DRIVES > 0;
        const symgen_status status = find_near(w, from, u, ud, udd, branch);
        if (status != SYMGEN_OK) {
            return status;
        }
        ud[k] = 0;
        take_poses(&w->moving, &w->tried);
        take_rates(&w->moving, 0, found->column[k]);
        take_rates(&w->moving, 1, found->bend[k]);
    }
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 7; ++i) {
            found->pose[b][i] = w->tried.pose[b][i];
        }
    }
    return SYMGEN_OK;
}

/* A column as displacement divided by the size of the mechanism, and rotation. */
static void set_column(const double *column, double *found)
{
    for (int32_t i = 0; i < 6; ++i) {
        found[i] = i < 3 ? column[i]/REACH : column[i];
    }
}

/* How one branch of a group limits a region: its distance is `apart`; it comes closer linearly by the difference of the
 * columns, and quadratically by accelerations and the squares of both motions. */
static void add_branch(region *r, int32_t group, int32_t other, const sight *seen)
{
    double apart = 0;
    double nearer[AT_LEAST_1(DRIVES)] = {0};
    double bent[AT_LEAST_1(DRIVES)] = {0};
    for (int32_t b = 0; b < BODIES; ++b) {
        double gap[6];
        double one[6];
        double two[6];
        if (BODY_GROUP[b] != group) {
            continue;
        }
        find_difference(r->seen.pose[b], seen->pose[b], gap);
        const double size = length_of(gap, 6);
        apart = size > apart ? size : apart;
        for (int32_t k = 0; k < DRIVES; ++k) {
            set_column(r->seen.column[k][b], one);
            set_column(seen->column[k][b], two);
            const double both = length_of(one, 6) + length_of(two, 6);
            for (int32_t i = 0; i < 6; ++i) {
                gap[i] = one[i] - two[i];
            }
            const double less = length_of(gap, 6);
            set_column(r->seen.bend[k][b], one);
            set_column(seen->bend[k][b], two);
            const double bend = both*both + length_of(one, 6) + length_of(two, 6);
            nearer[k] = less > nearer[k] ? less : nearer[k];
            bent[k] = bend > bent[k] ? bend : bent[k];
        }
    }
    apart = apart > UNSEEN ? apart : UNSEEN;
    for (int32_t k = 0; k < DRIVES; ++k) {
        const double near = CAUTION*nearer[k]/apart;
        const double bend = sqrt(bent[k]/apart);
        r->near[k] = near > r->near[k] ? near : r->near[k];
        r->bend[k] = bend > r->bend[k] ? bend : r->bend[k];
    }
    r->apart[group] = apart < r->apart[group] ? apart : r->apart[group];
    if (apart < r->least) {
        r->least = apart;
        r->group = group;
        r->other = other;
    }
}

/* Where the number of a branch changes along a driven freedom, at most `far` from the centre: it has no rates there. */
static double find_change(
    symgen_dynamics_minimal_workspace *w, const region *r, const double *centre, int32_t axis, double far)
{
    double near = 0;
    double u[AT_LEAST_1(DRIVES)];
    double off = 0;
    int32_t branch[GROUPS];
    for (int32_t k = 0; k < DRIVES; ++k) {
        u[k] = centre[k];
    }
    for (int32_t halved = 0; halved < MOST_PLACINGS && fabs(far - near)*r->size > PLACED; ++halved) {
        const double middle = (near + far)/2;
        int32_t same = 1;
        u[axis] = centre[axis] + middle;
        if (!find_names(w, r, u, branch, &off)) {
            return middle;
        }
        for (int32_t g = 0; g < GROUPS; ++g) {
            same = same && (GROUP_RANKED[g] || branch[g] == r->branch[g]);
        }
        near = same ? middle : near;
        far = same ? far : middle;
    }
    return (near + far)/2;
}

/* Check at the corners of a region that the motion agrees with the prediction by its columns, and that signs are still
 * those of its centre. Where links of a branch can turn freely (coincident centres), its sign changes although it meets
 * no other branch: the region ends before that. */
static void find_renamed(symgen_dynamics_minimal_workspace *w, region *r)
{
    const double room = RANKED > 0 ? 0.5 : 1;
    r->renamed = 0;
    for (int32_t corner = 0; corner < 2*DRIVES; ++corner) {
        const int32_t axis = corner/2;
        double u[AT_LEAST_1(DRIVES)];
        double size = 0;
        double column[6];
        double off = 1;
        int32_t branch[GROUPS];
        int32_t renamed = 0;
        int32_t seen = 1;
        for (int32_t k = 0; k < DRIVES; ++k) {
            u[k] = r->u[k];
        }
        for (int32_t tries = 0; tries < MOST_HALVINGS && seen && off > AGREES; ++tries) {
            const double near = r->near[axis];
            const double bend = r->bend[axis];
            const double away = 2*room/(near + sqrt(near*near + 4*room*bend*bend));
            u[axis] = r->u[axis] + (corner%2 ? away : -away);
            seen = away < UNBOUNDED && find_names(w, r, u, branch, &off);
            if (seen && off > AGREES) {
                r->near[axis] *= 2;
                r->bend[axis] *= 2;
            }
        }
        if (!seen) {
            continue;
        }
        for (int32_t g = 0; g < GROUPS; ++g) {
            renamed = !renamed && !GROUP_RANKED[g] && branch[g] != r->branch[g] ? g + 1 : renamed;
        }
        if (!renamed) {
            continue;
        }
        for (int32_t b = 0; b < BODIES; ++b) {
            set_column(r->seen.column[axis][b], column);
            const double moved = 2*length_of(column, 6);
            size = moved > size ? moved : size;
        }
        r->size = size;
        const double way = find_change(w, r, r->u, axis, u[axis] - r->u[axis]);
        if (!r->renamed || fabs(way)*size < fabs(r->way)*size) {
            r->renamed = renamed;
            r->axis = axis;
            r->way = way;
        }
        const double end = 1/((WELL_INSIDE - 0.5)*fabs(way));
        r->near[axis] = end > r->near[axis] ? end : r->near[axis];
    }
}

/* The region about a position, from all branches of each group there. */
static symgen_status survey(
    symgen_dynamics_minimal_workspace *w, const region *from, const double *u, const int32_t *branch, region *r)
{
    for (int32_t g = 0; g < GROUPS; ++g) {
        r->branch[g] = branch[g];
        r->apart[g] = UNBOUNDED;
    }
    for (int32_t k = 0; k < DRIVES; ++k) {
        r->u[k] = u[k];
        r->near[k] = r->bend[k] = 0;
    }
    r->least = UNBOUNDED;
    r->group = r->other = 0;
    const symgen_status status = look(w, from, r->u, r->branch, &r->seen);
    if (status != SYMGEN_OK) {
        return status;
    }
    for (int32_t g = 0; g < GROUPS; ++g) {
        for (int32_t other = 0; other < GROUP_BRANCHES[g]; ++other) {
            int32_t each[GROUPS];
            if (other == r->branch[g]) {
                continue;
            }
            for (int32_t k = 0; k < GROUPS; ++k) {
                each[k] = r->branch[k];
            }
            each[g] = other;
            const symgen_status there = look(w, 0, r->u, each, &w->other);
            if (there == SYMGEN_OK) {
                add_branch(r, g, other, &w->other);
            } else if (w->group > g + 1 || there == SYMGEN_SINGULAR) { /* its position cannot be determined */
                for (int32_t k = 0; k < DRIVES; ++k) {
                    double column[6];
                    for (int32_t b = 0; b < BODIES; ++b) {
                        set_column(r->seen.column[k][b], column);
                        const double bend = length_of(column, 6)/SHORT_WAY;
                        r->bend[k] = bend > r->bend[k] ? bend : r->bend[k];
                    }
                }
            }
        }
    }
    find_renamed(w, r);
    w->group = 0;
    return SYMGEN_OK;
}

/* Fraction of the path to a position that lies in a region; more than 1: all of it. */
static double part_inside(const region *r, const double *u)
{
    const double room = RANKED > 0 ? 0.5 : 1;
    double first = 0;
    double second = 0;
    for (int32_t k = 0; k < DRIVES; ++k) {
        const double move = fabs(u[k] - r->u[k]);
        first += move*r->near[k];
        second += move*r->bend[k];
    }
    second *= second;
    if (first + second < room) {
        return 2;
    }
    return 2*room/(first + sqrt(first*first + 4*room*second));
}

/* Difference of two branches of a group, and its derivative along one driven freedom (none if `along` is 0). */
static void find_vector(
    const sight *one, const sight *two, int32_t group, int32_t axis, int32_t along, double *found)
{
    for (int32_t b = 0; b < BODIES; ++b) {
        double *vector = found + 6*b;
        double first[6];
        double second[6];
        if (BODY_GROUP[b] != group) {
            for (int32_t i = 0; i < 6; ++i) {
                vector[i] = 0;
            }
        } else if (!along) {
            find_difference(one->pose[b], two->pose[b], vector);
        } else {
            set_column(one->column[axis][b], first);
            set_column(two->column[axis][b], second);
            for (int32_t i = 0; i < 6; ++i) {
                vector[i] = first[i] - second[i];
            }
        }
    }
}

static double product_of(const double *one, const double *two)
{
    double sum = 0;
    for (int32_t i = 0; i < 6*BODIES; ++i) {
        sum += one[i]*two[i];
    }
    return sum;
}

static void other_branch(const region *r, int32_t *branch)
{
    for (int32_t g = 0; g < GROUPS; ++g) {
        branch[g] = g == r->group ? r->other : r->branch[g];
    }
}

/* Find where the two closest branches of `here` meet: Newton steps along the driven freedom that changes their distance
 * most. Branches that come close and separate again have no such point. */
static void find_meeting(symgen_dynamics_minimal_workspace *w)
{
    meeting *m = &w->meets;
    const region *here = &w->here;
    double gap[6*BODIES];
    double rate[6*BODIES];
    double most = 0;
    double moved = 0;
    double size;
    int32_t branch[GROUPS];
    int32_t other[GROUPS];
    m->exists = 0;
    m->group = here->group;
    m->axis = 0;
    other_branch(here, other);
    if (look(w, 0, here->u, other, &w->other) != SYMGEN_OK) {
        return;
    }
    for (int32_t k = 0; k < DRIVES; ++k) {
        find_vector(&here->seen, &w->other, m->group, k, 1, rate);
        const double square = product_of(rate, rate);
        m->axis = square > most ? k : m->axis;
        most = square > most ? square : most;
        m->u[k] = here->u[k];
    }
    if (!(most > 0)) {
        return;
    }
    find_vector(&here->seen, &w->other, m->group, m->axis, 1, rate);
    for (int32_t k = 0; k < DRIVES; ++k) {
        double each[6*BODIES];
        find_vector(&here->seen, &w->other, m->group, k, 1, each);
        m->slope[k] = product_of(each, rate)/most;
    }
    find_vector(&here->seen, &w->other, m->group, 0, 0, gap);
    for (int32_t b = 0; b < BODIES; ++b) {
        double one[6];
        double two[6];
        set_column(here->seen.column[m->axis][b], one);
        set_column(w->other.column[m->axis][b], two);
        const double both = length_of(one, 6) + length_of(two, 6);
        moved = BODY_GROUP[b] == m->group && both > moved ? both : moved;
    }
    m->size = moved;
    m->width = BLURRED/sqrt(most) < WIDEST/moved ? BLURRED/sqrt(most) : WIDEST/moved;
    size = sqrt(product_of(gap, gap));
    for (int32_t n = 0; n < 60; ++n) {
        const double step = -product_of(gap, rate)/product_of(rate, rate);
        const double before = size;
        double *u = m->u + m->axis;
        if (!(fabs(*u + step - here->u[m->axis])*moved < FARTHEST_MEETING)) {
            return;
        }
        m->exists = size < MET;
        m->doubt = fabs(step);
        *u += m->exists ? step : NEWTON_PART*step;
        if (m->exists) {
            break;
        }
        for (int32_t g = 0; g < GROUPS; ++g) {
            branch[g] = here->branch[g];
        }
        other_branch(here, other);
        const symgen_status one = look(w, here, m->u, branch, &w->own);
        const symgen_status two = one == SYMGEN_OK ? look(w, 0, m->u, other, &w->other) : one;
        if (two == SYMGEN_SINGULAR) {
            *u += (1 - NEWTON_PART)*step;
            m->exists = 1;
            break;
        }
        if (two != SYMGEN_OK) {
            return;
        }
        find_vector(&w->own, &w->other, m->group, 0, 0, gap);
        find_vector(&w->own, &w->other, m->group, m->axis, 1, rate);
        size = sqrt(product_of(gap, gap));
        if (!(size < PARTING*before)) {
            return;
        }
    }
    m->side = here->u[m->axis] < m->u[m->axis] ? -1 : 1;
}

/* Treat the point where a branch changes its number as a meeting. */
static void take_renamed(symgen_dynamics_minimal_workspace *w)
{
    meeting *m = &w->meets;
    const region *here = &w->here;
    m->exists = 1;
    m->doubt = 0;
    m->group = here->renamed - 1;
    m->axis = here->axis;
    m->size = here->size;
    m->width = WIDEST/here->size;
    m->side = here->way > 0 ? -1 : 1;
    for (int32_t k = 0; k < DRIVES; ++k) {
        double centre[AT_LEAST_1(DRIVES)];
        const double aside = WIDEST/10/here->size;
        for (int32_t i = 0; i < DRIVES; ++i) {
            centre[i] = here->u[i] + (i == k ? aside : 0);
        }
        m->u[k] = here->u[k] + (k == m->axis ? here->way : 0);
        m->slope[k] = 1;
        if (k != m->axis) {
            m->slope[k] = (here->way - find_change(w, here, centre, m->axis, 2*here->way))/aside;
        }
    }
}

/* Poses of a group's bodies, their first and second derivatives along one driven freedom, in lengths and turns; `at` in
 * steps of h from a meeting. */
static symgen_status find_sample(
    symgen_dynamics_minimal_workspace *w, const region *from, double at, double h, int32_t *branch,
    double (*found)[3][7])
{
    const meeting *m = &w->meets;
    double u[AT_LEAST_1(DRIVES)];
    double ud[AT_LEAST_1(DRIVES)] = {0};
    double udd[AT_LEAST_1(DRIVES)] = {0};
    for (int32_t k = 0; k < DRIVES; ++k) {
        u[k] = m->u[k] + (k == m->axis ? at*h : 0);
    }
    ud[m->axis] = 1;
    const symgen_status status = find_near(w, from, u, ud, udd, branch);
    if (status != SYMGEN_OK) {
        return status;
    }
    take_poses(&w->moving, &w->tried);
    take_rates(&w->moving, 0, w->own.column[0]);
    take_rates(&w->moving, 1, w->other.column[0]);
    for (int32_t b = 0; b < BODIES; ++b) {
        const double *q = w->tried.pose[b] + 3;
        const double *v = w->own.column[0][b];
        const double *a = w->other.column[0][b];
        double (*each)[7] = found[b];
        for (int32_t i = 0; i < 3; ++i) {
            each[0][i] = w->tried.pose[b][i]/REACH;
            each[1][i] = h*v[i]/REACH;
            each[2][i] = h*h*a[i]/REACH;
        }
        for (int32_t i = 0; i < 4; ++i) {
            each[0][3 + i] = 2*q[i];
        }
        for (int32_t order = 1; order < 3; ++order) { /* q' = w q/2, q'' = (w' q + w q')/2, times steps */
            for (int32_t i = 3; i < 7; ++i) {
                each[order][i] = 0;
            }
            for (int32_t of = 0; of < order; ++of) {
                const double *turn = (order - of == 1 ? v : a) + 3;
                const double *p = each[of] + 3;
                const double part = (order - of == 1 ? h : h*h)/2;
                each[order][3] -= part*(turn[0]*p[1] + turn[1]*p[2] + turn[2]*p[3]);
                for (int32_t i = 0; i < 3; ++i) {
                    const int32_t j = (i + 1)%3;
                    const int32_t k = (i + 2)%3;
                    each[order][4 + i] += part*(turn[i]*p[0] + turn[j]*p[1 + k] - turn[k]*p[1 + j]);
                }
            }
        }
    }
    return SYMGEN_OK;
}

/* Distance of a sample one step after a meeting from the polynomial through three samples before it: the largest of
 * value, rate and acceleration, in steps. `moved`: displacement from the first to the last of the three. */
static double find_misfit(
    double (*before)[BODIES][3][7], double (*behind)[3][7], int32_t group, double *moved)
{
    /* of derivative, sample, and derivative there: of the polynomial at 1 through samples at -3, -2 and -1 */
    static const double WEIGHT[3][3][3] = EXTRAPOLATION;
    double worst = 0;
    *moved = 0;
    for (int32_t b = 0; b < BODIES; ++b) {
        double turned[3][7];
        double sign[3];
        double way[7];
        if (BODY_GROUP[b] != group) {
            continue;
        }
        for (int32_t n = 0; n < 3; ++n) { /* q and -q are the same rotation */
            double same = 0;
            for (int32_t i = 3; i < 7; ++i) {
                same += before[n][b][0][i]*behind[b][0][i];
            }
            sign[n] = same < 0 ? -1 : 1;
        }
        for (int32_t order = 0; order < 3; ++order) {
            for (int32_t i = 0; i < 7; ++i) {
                const double base = order == 0 ? behind[b][0][i] : 0;
                double sum = 0;
                for (int32_t n = 0; n < 3; ++n) {
                    const double flip = i < 3 ? 1 : sign[n];
                    sum += WEIGHT[order][n][0]*(flip*before[n][b][0][i] - behind[b][0][i]);
                    sum += flip*(WEIGHT[order][n][1]*before[n][b][1][i] + WEIGHT[order][n][2]*before[n][b][2][i]);
                }
                turned[order][i] = sum - (behind[b][order][i] - base);
                way[i] = before[2][b][0][i] - before[0][b][0][i]*(i < 3 ? 1 : sign[0]*sign[2]);
            }
            const double miss = length_of(turned[order], 7);
            worst = miss <= worst ? worst : miss;
        }
        const double far = length_of(way, 7);
        *moved = far > *moved ? far : *moved;
    }
    return worst;
}

/* The branches after a meeting, for one spacing of samples; false if none is clearly the smooth one. */
static int32_t find_smooth(symgen_dynamics_minimal_workspace *w, double h, int32_t *branch)
{
    const meeting *m = &w->meets;
    const double floor = SAMPLE_NOISE/fabs(h*m->size);
    for (int32_t n = 0; n < 3; ++n) {
        for (int32_t g = 0; g < GROUPS; ++g) {
            branch[g] = w->here.branch[g];
        }
        if (find_sample(w, &w->here, (double)(n - 3), h, branch, w->before[n]) != SYMGEN_OK) {
            return 0;
        }
    }
    for (int32_t g = 0; g < GROUPS; ++g) {
        double best = UNBOUNDED;
        double next = UNBOUNDED;
        double moved = 0;
        int32_t found = branch[g];
        const int32_t kept = branch[g];
        for (int32_t each = 0; each < GROUP_BRANCHES[g] && GROUP_BRANCHES[g] > 1; ++each) {
            branch[g] = each;
            if (find_sample(w, 0, 1, h, branch, w->behind) != SYMGEN_OK) {
                continue;
            }
            const double miss = find_misfit(w->before, w->behind, g, &moved);
            if (miss < best) {
                next = best;
                best = miss;
                found = each;
            } else if (miss < next) {
                next = miss;
            }
        }
        branch[g] = found;
        next = moved < next && g == m->group ? moved : next;
        best = best > floor ? best : floor;
        if (!(best <= CLEAR*next) && !(g != m->group && found == kept)) {
            return 0;
        }
    }
    return 1;
}

/* Decide which branches continue after a meeting: all spacings with a clear result must agree. */
static void judge(symgen_dynamics_minimal_workspace *w)
{
    static const double SPACING[] = { SPACINGS };
    meeting *m = &w->meets;
    int32_t branch[GROUPS];
    int32_t agreed[GROUPS];
    int32_t clear = 0;
    double u[AT_LEAST_1(DRIVES)];
    m->status = SYMGEN_AMBIGUOUS;
    for (int32_t n = 0; n < (int32_t)(sizeof SPACING/sizeof SPACING[0]); ++n) {
        if (SPACING[n] < m->doubt*m->size || !find_smooth(w, -m->side*SPACING[n]/m->size, branch)) {
            continue;
        }
        for (int32_t g = 0; g < GROUPS; ++g) {
            if (clear && branch[g] != agreed[g]) {
                return;
            }
            agreed[g] = branch[g];
        }
        clear = 1;
    }
    if (!clear) {
        return;
    }
    for (int32_t k = 0; k < DRIVES; ++k) {
        u[k] = m->u[k] - (k == m->axis ? m->side*m->width : 0);
    }
    m->status = survey(w, 0, u, agreed, &m->behind);
}

/* Offset of a position from the meeting along its axis: positive on the side of the region's centre. */
static double offset_from(const meeting *m, const double *u)
{
    double sum = 0;
    for (int32_t k = 0; k < DRIVES; ++k) {
        sum += m->slope[k]*(u[k] - m->u[k]);
    }
    return m->side*sum;
}

/* Where the path from the region's centre to a position reaches the meeting: close enough to be the same meeting? */
static int32_t is_same_meeting(const symgen_dynamics_minimal_workspace *w, const double *u, double offset)
{
    const meeting *m = &w->meets;
    const double start = offset_from(m, w->here.u);
    const double part = offset < 0 ? start/(start - offset) : 1;
    double away = 0;
    for (int32_t k = 0; k < DRIVES; ++k) {
        away += fabs(w->here.u[k] + part*(u[k] - w->here.u[k]) - m->u[k])*m->size;
    }
    return away < SAME_MEETING;
}

/* Move the region to a position, across meetings if necessary. `blurred` is set if the position is so close to a
 * meeting that the rates of the groups are useless there, `crowded` if more regions lie in between than are tried. */
static symgen_status go_to(symgen_dynamics_minimal_workspace *w, const double *u)
{
    w->blurred = w->crowded = 0;
    for (int32_t n = 0; n < MOST_REGIONS; ++n) {
        const meeting *m = &w->meets;
        if (!w->examined) {
            w->meets.exists = 0;
            if (w->here.least < CLOSE) {
                find_meeting(w);
            }
            if (!m->exists && w->here.renamed && fabs(w->here.way)*w->here.size < 2*WIDEST) {
                take_renamed(w);
            }
            if (m->exists) {
                judge(w);
            }
            w->group = 0;
            w->examined = 1;
        }
        if (m->exists) {
            const double offset = offset_from(m, u);
            if (offset < m->width/2 && is_same_meeting(w, u, offset)) {
                if (m->status != SYMGEN_OK) {
                    w->group = m->group + 1;
                    return m->status;
                }
                if (offset > -m->width/2) {
                    w->blurred = 1;
                    for (int32_t g = 0; g < GROUPS; ++g) {
                        w->branch[g] = offset < 0 ? m->behind.branch[g] : w->here.branch[g];
                    }
                    return SYMGEN_OK;
                }
                w->here = m->behind;
                w->examined = 0;
                continue;
            }
        }
        double part = part_inside(&w->here, u);
        if (part > 1) {
            for (int32_t g = 0; g < GROUPS; ++g) {
                w->branch[g] = w->here.branch[g];
            }
            return SYMGEN_OK;
        }
        symgen_status status = SYMGEN_SINGULAR;
        for (int32_t tries = 0; tries < 5 && status != SYMGEN_OK; ++tries) {
            double next[AT_LEAST_1(DRIVES)];
            part *= WELL_INSIDE;
            for (int32_t k = 0; k < DRIVES; ++k) {
                next[k] = w->here.u[k] + part*(u[k] - w->here.u[k]);
            }
            status = survey(w, &w->here, next, w->here.branch, &w->next);
        }
        if (status != SYMGEN_OK) {
            return status;
        }
        w->here = w->next;
        w->examined = 0;
    }
    w->group = w->here.group + 1;
    w->crowded = 1;
    return SYMGEN_NOT_CONVERGED;
}

/* Move the region to a position; at the start of a run to the initial one, with the given branches. */
static symgen_status move_region(symgen_dynamics_minimal_workspace *w, const double *u)
{
    if (!w->started) {
        w->examined = 0;
        const symgen_status status = survey(w, 0, u, w->branch_before, &w->here);
        if (status != SYMGEN_OK) {
            return status;
        }
        w->started = 1;
    }
    return go_to(w, u);
}

/* Weights of `count` samples at -count/2 ... -1, 1 ... count/2 steps from a meeting, for a value at `at` steps. */
static void find_weights(int32_t count, double at, double *weight)
{
    for (int32_t i = 0; i < count; ++i) {
        const int32_t one = i - count/2 + (i >= count/2);
        weight[i] = 1;
        for (int32_t j = 0; j < count; ++j) {
            const int32_t two = j - count/2 + (j >= count/2);
            if (j != i) {
                weight[i] *= (at - (double)two)/(double)(one - two);
            }
        }
    }
}

/* Add the motion in `moving` at one of the samples: part 0 is its poses, twists and accelerations, part k its column k.
 * */
static void add_sample(symgen_dynamics_minimal_workspace *w, int32_t part, const double *weight, int32_t first)
{
    const int32_t start = part == 0 ? 0 : 19*BODIES + 6*BODIES*(part - 1);
    if (part == 0) {
        take_poses(&w->moving, &w->now);
        take_rates(&w->moving, 1, w->acceleration);
    }
    take_rates(&w->moving, 0, w->twist);
    for (int32_t b = 0; b < BODIES; ++b) {
        double *pose = w->now.pose[b];
        double *first_pose = w->first_pose[b];
        double same = 0;
        for (int32_t i = 0; part == 0 && i < 7; ++i) {
            first_pose[i] = first ? pose[i] : first_pose[i];
            same += i < 3 ? 0 : first_pose[i]*pose[i];
        }
        for (int32_t n = 0; n < 2; ++n) {
            double *sum = w->limit[n] + start;
            for (int32_t i = 0; i < 6; ++i) {
                sum[6*b + i] += weight[n]*w->twist[b][i];
            }
            for (int32_t i = 0; part == 0 && i < 6; ++i) {
                sum[6*(BODIES + b) + i] += weight[n]*w->acceleration[b][i];
            }
            for (int32_t i = 0; part == 0 && i < 7; ++i) {
                sum[12*BODIES + 7*b + i] += weight[n]*(i > 2 && same < 0 ? -pose[i] : pose[i]);
            }
        }
    }
}

/* Sum over all samples, with weights for LIMIT_SAMPLES samples and for two fewer. */
static symgen_status add_samples(
    symgen_dynamics_minimal_workspace *w, const double *u, const double *ud, const double *udd,
    double offset, double width)
{
    const meeting *m = &w->meets;
    const double none[AT_LEAST_1(DRIVES)] = {0};
    double weight[2][LIMIT_SAMPLES] = { {0} };
    find_weights(LIMIT_SAMPLES, offset/width, weight[0]);
    find_weights(LIMIT_SAMPLES - 2, offset/width, weight[1] + 1);
    weight[1][0] = weight[1][LIMIT_SAMPLES - 1] = 0;
    for (int32_t n = 0; n < 2; ++n) {
        for (int32_t i = 0; i < LIMIT_NUMBERS; ++i) {
            w->limit[n][i] = 0;
        }
    }
    for (int32_t i = 0; i < LIMIT_SAMPLES; ++i) {
        const double at = width*(i - LIMIT_SAMPLES/2 + (i >= LIMIT_SAMPLES/2));
        const region *from = m->side*at > 0 ? &w->here : &m->behind;
        const double both[2] = {weight[0][i], weight[1][i]};
        double drives[AT_LEAST_1(DRIVES)];
        double unit[AT_LEAST_1(DRIVES)] = {0};
        int32_t branch[GROUPS];
        for (int32_t k = 0; k < DRIVES; ++k) {
            drives[k] = u[k] + (k == m->axis ? at - offset : 0);
        }
        for (int32_t part = 0; part <= COORDINATES; ++part) {
            for (int32_t g = 0; g < GROUPS; ++g) {
                branch[g] = from->branch[g];
            }
            if (part > 0) {
                unit[INPUT[part - 1]] = 1;
            }
            const symgen_status status =
                find_near(w, from, drives, part ? unit : ud, part ? none : udd, branch);
            if (status != SYMGEN_OK) {
                return status;
            }
            add_sample(w, part, both, i == 0);
            if (part > 0) {
                unit[INPUT[part - 1]] = 0;
            }
        }
    }
    return SYMGEN_OK;
}

/* Use the limit as the present motion. */
static void take_limit(symgen_dynamics_minimal_workspace *w)
{
    const double *sum = w->limit[0];
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 6; ++i) {
            w->best_twist[b][i] = sum[6*b + i];
            w->best_acceleration[b][i] = sum[6*(BODIES + b) + i];
            for (int32_t c = 0; c < COORDINATES; ++c) {
                w->column[c][b][i] = sum[19*BODIES + 6*(BODIES*c + b) + i];
            }
        }
        const double *pose = sum + 12*BODIES + 7*b;
        const double length = length_of(pose + 3, 4);
        for (int32_t i = 0; i < 7; ++i) {
            w->best_pose[b][i] = i < 3 ? pose[i] : pose[i]/length;
        }
    }
}

/* Motion near a meeting, from samples on both sides of it along its axis. Poses, twists, accelerations due to the laws
 * alone, and columns are smooth there and are interpolated by Lagrange polynomials. */
static symgen_status find_limit(
    symgen_dynamics_minimal_workspace *w, const double *u, const double *ud, const double *udd)
{
    const meeting *m = &w->meets;
    const double offset = m->side*offset_from(m, u);
    double width = m->width;
    double best = UNBOUNDED;
    symgen_status status = SYMGEN_SINGULAR;
    for (int32_t tries = 0; tries < 6 && best > LIMIT_GOOD; ++tries, width /= 2) {
        double error = 0;
        const symgen_status one = add_samples(w, u, ud, udd, offset, width);
        if (one != SYMGEN_OK) {
            status = best < UNBOUNDED ? status : one;
            continue;
        }
        for (int32_t i = 0; i < LIMIT_NUMBERS; ++i) {
            const double size = 1 + fabs(w->limit[0][i]);
            const double gap = fabs(w->limit[0][i] - w->limit[1][i])/size;
            error = gap <= error ? error : gap;
        }
        if (error < best) {
            best = error;
            status = SYMGEN_OK;
            take_limit(w);
        }
    }
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 7; ++i) {
            w->now.pose[b][i] = w->best_pose[b][i];
        }
        for (int32_t i = 0; i < 6; ++i) {
            w->twist[b][i] = w->best_twist[b][i];
            w->acceleration[b][i] = w->best_acceleration[b][i];
        }
    }
    if (status == SYMGEN_OK && !(best < LIMIT_POOR)) {
        status = SYMGEN_SINGULAR;
    }
    w->group = status == SYMGEN_OK ? 0 : m->group + 1;
    return status;
}
#endif

#endif /* SYMGEN_DYNAMICS_BRANCHES_H */
