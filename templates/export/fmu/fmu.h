/* One instance of the FMU, whatever the version of FMI: its numbers, how they are calculated, what is said of a failure.
 * The mechanism itself is in fmu_model.h. Written by symgen; free of conditions (MIT-0). */
#ifndef SYMGEN_FMU_H
#define SYMGEN_FMU_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu_model.h"

#if defined(_WIN32) || defined(__CYGWIN__)
#define FMU_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define FMU_EXPORT __attribute__((visibility("default")))
#else
#define FMU_EXPORT
#endif
#define FMU_PASTE(a, b) a##b
#define FMU_PASTED(a, b) FMU_PASTE(a, b)

typedef enum { FMU_OK, FMU_WARNING, FMU_DISCARD, FMU_ERROR, FMU_FATAL } fmu_status;

/* Modes of an instance, and sets of them. */
enum {
    FMU_INSTANTIATED = 1,
    FMU_INITIALIZATION = 2,
    FMU_EVENT = 4,
    FMU_CONTINUOUS = 8,
    FMU_STEP = 16,
    FMU_TERMINATED = 32,
    FMU_RUNNING = FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_STEP
};

/* What a copy of the state holds: no pointers, so that its bytes are all there is. `base` is the motion up to the last
 * point that was taken, `tried` behind the last evaluation: a solver tries points that it then leaves. */
typedef struct {
    uint32_t abi;
    int32_t mode;
    int32_t status; /* of the last evaluation */
    int32_t stale;  /* inputs or the time have changed since */
    int32_t told;   /* the status that was logged last */
    int32_t group;  /* that could not be solved, 0: none */
    double time;      /* of the simulator */
    double at;        /* the time that the inputs belong to: in a co-simulation by inputs the begin of the step */
    double base_time; /* of `base` */
    double inputs[FMU_INPUTS];
    double results[FMU_RESULTS];
    fmu_motion base, tried;
} fmu_numbers;

typedef struct fmu {
    fmu_numbers now;
    int is_exchange; /* model exchange, else co-simulation */
    int has_events;  /* a co-simulation with an event mode */
    int logs;        /* debugging messages are wanted, too */
    void *environment;
    void (*log)(void); /* the callback, as its version of FMI has it */
    void (*say)(struct fmu *self, fmu_status status, const char *message);
    void (*release)(void *memory);
    void *(*allocate)(size_t count, size_t size);
    char name[128];
    char message[512];
} fmu;

static fmu_status fmu_report(fmu *self, fmu_status status, const char *form, ...)
{
    va_list arguments;
    va_start(arguments, form);
    (void)vsnprintf(self->message, sizeof self->message, form, arguments);
    va_end(arguments);
    self->say(self, status, self->message);
    return status;
}

static void fmu_begin(fmu *self)
{
    memset(&self->now, 0, sizeof self->now);
    self->now.abi = FMU_ABI;
    self->now.mode = FMU_INSTANTIATED;
    self->now.stale = 1;
    self->now.time = self->now.at = self->now.base_time = FMU_START_TIME;
    memcpy(self->now.inputs, fmu_start, sizeof fmu_start);
    (void)fmu_init(&self->now.base);
    self->now.tried = self->now.base;
}

static int fmu_is_in(fmu *self, int modes, const char *function)
{
    if ((self->now.mode & modes) != 0) {
        return 1;
    }
    (void)fmu_report(self, FMU_ERROR, "%s must not be called in this state", function);
    return 0;
}

static fmu_status fmu_result(symgen_status status)
{
    if (status == SYMGEN_OK) {
        return FMU_OK;
    }
    return status == SYMGEN_SINGULAR && FMU_WRITES_SINGULAR ? FMU_WARNING : FMU_DISCARD;
}

/* Say in words why there is no result, once for each time that it changes. */
static fmu_status fmu_tell(fmu *self)
{
    const symgen_status status = (symgen_status)self->now.status;
    const fmu_status result = fmu_result(status);
    if (self->now.status == self->now.told) {
        return result;
    }
    self->now.told = self->now.status;
    if (result == FMU_OK) {
        return result;
    }
    if (status == SYMGEN_BAD_INPUT) {
        for (int k = 0; k < FMU_INPUTS; ++k) {
            const double x = self->now.inputs[k];
            if (!(x - x <= 0.0)) {
                return fmu_report(self, result, "BAD_INPUT at t = %g: %s is not a finite number", self->now.time,
                                  fmu_names[k]);
            }
            if (!(x >= fmu_least[k] && x <= fmu_most[k])) {
                return fmu_report(self, result, "BAD_INPUT at t = %g: %s is %g, allowed are %g to %g", self->now.time,
                                  fmu_names[k], x, fmu_least[k], fmu_most[k]);
            }
        }
    }
    if (self->now.group != 0) {
        return fmu_report(self, result, "%s at t = %g in structural group %d", fmu_meaning(status), self->now.time,
                          (int)self->now.group);
    }
    return fmu_report(self, result, "%s at t = %g", fmu_meaning(status), self->now.time);
}

/* Calculate the results if something has changed: from what was taken, so that a trial leaves nothing behind. */
static fmu_status fmu_evaluate(fmu *self)
{
    fmu_numbers *now = &self->now;
    if (now->stale != 0) {
        const double passed = now->at - now->base_time;
        if (FMU_BY_LAW) {
            now->inputs[0] = now->at;
        }
        now->tried = now->base;
        fmu_pass(&now->tried, passed > FMU_SHORTEST ? passed : FMU_SHORTEST);
        const symgen_status status = fmu_step(&now->tried, now->inputs, now->results);
        now->status = (int32_t)status;
        now->group = status == SYMGEN_OK || status == SYMGEN_BAD_INPUT ? 0 : fmu_group(&now->tried);
        now->stale = 0;
    }
    return fmu_tell(self);
}

/* The motion goes on from here. */
static void fmu_take(fmu *self)
{
    if (fmu_result((symgen_status)self->now.status) != FMU_DISCARD && self->now.stale == 0) {
        self->now.base = self->now.tried;
        self->now.base_time = self->now.at;
    }
}

static void fmu_set_time(fmu *self, double time)
{
    if (memcmp(&self->now.time, &time, sizeof time) != 0) {
        self->now.time = self->now.at = time;
        self->now.stale |= FMU_BY_LAW | FMU_FOLLOWS;
    }
}

static fmu_status fmu_set(fmu *self, const uint32_t *references, size_t count, const double *values)
{
    for (size_t k = 0; k < count; ++k) {
        if (FMU_BY_LAW || references[k] < 1 || references[k] > FMU_INPUTS) {
            return fmu_report(self, FMU_ERROR, "value reference %lu is not an input", (unsigned long)references[k]);
        }
    }
    for (size_t k = 0; k < count; ++k) {
        double *input = &self->now.inputs[references[k] - 1];
        if (memcmp(input, &values[k], sizeof *input) != 0) {
            *input = values[k];
            self->now.stale = 1;
        }
    }
    return FMU_OK;
}

static int fmu_is_result(uint32_t reference)
{
    return reference >= FMU_FIRST_RESULT && reference < FMU_FIRST_RESULT + FMU_RESULTS;
}

static fmu_status fmu_get(fmu *self, const uint32_t *references, size_t count, double *values)
{
    fmu_status found = FMU_OK;
    for (size_t k = 0; k < count; ++k) {
        if (references[k] > FMU_INPUTS && !fmu_is_result(references[k])) {
            return fmu_report(self, FMU_ERROR, "there is no value reference %lu", (unsigned long)references[k]);
        }
        if (fmu_is_result(references[k]) && found == FMU_OK) {
            /* between two steps of a co-simulation results are those of the last one */
            found = self->now.mode == FMU_STEP ? fmu_tell(self) : fmu_evaluate(self);
            if (found == FMU_DISCARD) {
                return found;
            }
        }
    }
    for (size_t k = 0; k < count; ++k) {
        const uint32_t reference = references[k];
        if (fmu_is_result(reference)) {
            values[k] = self->now.results[reference - FMU_FIRST_RESULT];
        } else {
            values[k] = reference == 0 ? self->now.time : self->now.inputs[reference - 1];
        }
    }
    return found;
}

/* Take a step of a co-simulation: inputs are held, results are those at its end. */
static fmu_status fmu_do_step(fmu *self, double from, double length)
{
    if (!(length >= 0.0) || !(from - from <= 0.0)) {
        return fmu_report(self, FMU_ERROR, "a step needs a finite start and a length of 0 or more; found %g and %g",
                          from, length);
    }
    self->now.time = from + length;
    self->now.at = FMU_BY_LAW ? from + length : from;
    self->now.stale = 1;
    const fmu_status found = fmu_evaluate(self);
    fmu_take(self);
    if (found == FMU_DISCARD) {
        self->now.time = self->now.at = from;
    }
    return found;
}

/* Exact derivatives of results along a change of inputs (or of the time), at the inputs as they are. */
static fmu_status fmu_derive(fmu *self, const uint32_t *unknowns, size_t unknown_count, const uint32_t *knowns,
                             size_t known_count, const double *seed, double *sensitivity)
{
    double along[FMU_INPUTS] = { 0.0 };
    double changes[FMU_RESULTS];
    if (!FMU_DERIVES) {
        return fmu_report(self, FMU_ERROR, "this FMU has no directional derivatives");
    }
    for (size_t k = 0; k < known_count; ++k) {
        const uint32_t place = FMU_BY_LAW ? knowns[k] : knowns[k] - 1;
        if (place >= FMU_INPUTS) {
            return fmu_report(self, FMU_ERROR, "value reference %lu is not a known of a derivative",
                              (unsigned long)knowns[k]);
        }
        along[place] += seed[k];
    }
    for (size_t k = 0; k < unknown_count; ++k) {
        if (!fmu_is_result(unknowns[k])) {
            return fmu_report(self, FMU_ERROR, "value reference %lu is not an output", (unsigned long)unknowns[k]);
        }
    }
    if (FMU_BY_LAW) {
        self->now.inputs[0] = self->now.at;
    }
    const symgen_status status = fmu_tangent(self->now.inputs, along, changes);
    if (status != SYMGEN_OK) {
        return fmu_report(self, FMU_DISCARD, "no derivatives at t = %g: %s", self->now.time, fmu_meaning(status));
    }
    for (size_t k = 0; k < unknown_count; ++k) {
        sensitivity[k] = changes[unknowns[k] - FMU_FIRST_RESULT];
    }
    return FMU_OK;
}

/* Copies of the state: memory of their own, made and released as the simulator says. */
static fmu_status fmu_copy_out(fmu *self, void **copy)
{
    if (*copy == NULL) {
        *copy = self->allocate(1, sizeof self->now);
    }
    if (*copy == NULL) {
        return fmu_report(self, FMU_ERROR, "no memory for a copy of the state");
    }
    memcpy(*copy, &self->now, sizeof self->now);
    return FMU_OK;
}

static fmu_status fmu_copy_in(fmu *self, const void *copy, size_t size)
{
    uint32_t abi = 0;
    if (copy != NULL && size == sizeof self->now) {
        memcpy(&abi, copy, sizeof abi);
    }
    if (abi != FMU_ABI) {
        return fmu_report(self, FMU_ERROR, "this is not a copy of the state of this kind of FMU");
    }
    memcpy(&self->now, copy, sizeof self->now);
    return FMU_OK;
}

static fmu *fmu_new(void *(*allocate)(size_t, size_t), void (*release)(void *), const char *name)
{
    fmu *self = (fmu *)allocate(1, sizeof *self);
    if (self != NULL) {
        memset(self, 0, sizeof *self);
        self->allocate = allocate;
        self->release = release;
        (void)snprintf(self->name, sizeof self->name, "%s", name == NULL ? "" : name);
        fmu_begin(self);
    }
    return self;
}

#endif
