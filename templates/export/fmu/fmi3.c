/* The functions of FMI 3.0, model exchange and co-simulation, around fmu.h. Declared here as the standard has them
 * (fmi3FunctionTypes.h), so that nothing else is needed to compile this. With FMI3_FUNCTION_PREFIX defined, and not
 * FMI3_OVERRIDE_FUNCTION_PREFIX, their names begin with it, for linking several FMUs into one program.
 * Written by symgen; free of conditions (MIT-0). */
#include <stdbool.h>

#include "fmu.h"

typedef void *fmi3Instance, *fmi3FMUState, *fmi3InstanceEnvironment;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8, fmi3Byte;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef const char *fmi3String;
typedef const fmi3Byte *fmi3Binary;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean, fmi3Boolean,
                                               fmi3Boolean, fmi3Boolean, fmi3Boolean *, fmi3Float64 *);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

#if defined(FMI3_FUNCTION_PREFIX) && !defined(FMI3_OVERRIDE_FUNCTION_PREFIX)
#define FMI3(name) FMU_PASTED(FMI3_FUNCTION_PREFIX, name)
#else
#define FMI3(name) name
#endif
/* Declare a function of the standard, then begin to define it. */
#define API(type, name, arguments) FMU_EXPORT type FMI3(name) arguments; type FMI3(name) arguments
#define EXPECT(modes, name) \
    if (c == NULL || !fmu_is_in((fmu *)c, (modes), #name)) { \
        return fmi3Error; \
    }

static void say(fmu *self, fmu_status status, const char *message)
{
    static const char *const categories[] = { "logAll", "logStatusWarning", "logStatusDiscard", "logStatusError",
                                              "logStatusFatal" };
    const fmi3LogMessageCallback log = (fmi3LogMessageCallback)self->log;
    if (log != NULL) {
        log(self->environment, (fmi3Status)status, categories[status], message);
    }
}

static fmi3Status refused(fmi3Instance c, const char *name, const char *why)
{
    return c == NULL ? fmi3Error : (fmi3Status)fmu_report((fmu *)c, FMU_ERROR, "%s: %s", name, why);
}

static fmi3Status wrong_count(fmi3Instance c, size_t references, size_t values)
{
    return (fmi3Status)fmu_report((fmu *)c, FMU_ERROR, "%lu values for %lu numbers", (unsigned long)values,
                                  (unsigned long)references);
}

static fmi3Instance instantiate(fmi3String name, fmi3String token, int is_exchange, int logs, void *environment,
                                fmi3LogMessageCallback log)
{
    fmu *self = fmu_new(calloc, free, name);
    if (self == NULL) {
        return NULL;
    }
    self->say = say;
    self->log = (void (*)(void))log;
    self->environment = environment;
    self->is_exchange = is_exchange;
    self->logs = logs;
    if (token == NULL || strcmp(token, FMU_TOKEN) != 0) {
        (void)fmu_report(self, FMU_ERROR, "the token is %s, this FMU's is %s", token == NULL ? "" : token, FMU_TOKEN);
        free(self);
        return NULL;
    }
    return self;
}

API(const char *, fmi3GetVersion, (void)) { return "3.0"; }

API(fmi3Status, fmi3SetDebugLogging, (fmi3Instance c, fmi3Boolean on, size_t count, const fmi3String categories[]))
{
    (void)count, (void)categories;
    if (c == NULL) {
        return fmi3Error;
    }
    ((fmu *)c)->logs = on;
    return fmi3OK;
}

API(fmi3Instance, fmi3InstantiateModelExchange,
    (fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logs,
     fmi3InstanceEnvironment environment, fmi3LogMessageCallback log))
{
    (void)resources, (void)visible;
    return instantiate(name, token, 1, logs, environment, log);
}

API(fmi3Instance, fmi3InstantiateCoSimulation,
    (fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logs, fmi3Boolean events,
     fmi3Boolean early_return, const fmi3ValueReference required[], size_t required_count,
     fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update))
{
    (void)resources, (void)visible, (void)early_return, (void)required, (void)required_count, (void)update;
    fmu *self = (fmu *)instantiate(name, token, 0, logs, environment, log);
    if (self != NULL) {
        self->has_events = events;
    }
    return self;
}

API(fmi3Instance, fmi3InstantiateScheduledExecution,
    (fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logs,
     fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3ClockUpdateCallback update,
     fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock))
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logs, (void)update, (void)lock, (void)unlock;
    if (log != NULL) {
        log(environment, fmi3Error, "logStatusError", "this FMU has no scheduled execution");
    }
    return NULL;
}

API(void, fmi3FreeInstance, (fmi3Instance c)) { free(c); }

API(fmi3Status, fmi3EnterInitializationMode,
    (fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean has_stop,
     fmi3Float64 stop))
{
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    EXPECT(FMU_INSTANTIATED, fmi3EnterInitializationMode)
    fmu_set_time((fmu *)c, start);
    ((fmu *)c)->now.base_time = start; /* the motion begins whenever the simulation does */
    ((fmu *)c)->now.mode = FMU_INITIALIZATION;
    return fmi3OK;
}

API(fmi3Status, fmi3ExitInitializationMode, (fmi3Instance c))
{
    EXPECT(FMU_INITIALIZATION, fmi3ExitInitializationMode)
    fmu *self = (fmu *)c;
    (void)fmu_evaluate(self); /* what cannot be solved is said where it is asked for */
    fmu_take(self);
    self->now.mode = self->is_exchange || self->has_events ? FMU_EVENT : FMU_STEP;
    return fmi3OK;
}

API(fmi3Status, fmi3EnterEventMode, (fmi3Instance c))
{
    EXPECT(((fmu *)c)->is_exchange ? FMU_EVENT | FMU_CONTINUOUS : FMU_STEP, fmi3EnterEventMode)
    if (!((fmu *)c)->is_exchange && !((fmu *)c)->has_events) {
        return refused(c, "fmi3EnterEventMode", "eventModeUsed was false");
    }
    ((fmu *)c)->now.mode = FMU_EVENT;
    return fmi3OK;
}

API(fmi3Status, fmi3Terminate, (fmi3Instance c))
{
    EXPECT(FMU_RUNNING, fmi3Terminate)
    ((fmu *)c)->now.mode = FMU_TERMINATED;
    return fmi3OK;
}

API(fmi3Status, fmi3Reset, (fmi3Instance c))
{
    if (c == NULL) {
        return fmi3Error;
    }
    fmu_begin((fmu *)c);
    return fmi3OK;
}

API(fmi3Status, fmi3GetFloat64,
    (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3Float64 values[], size_t count))
{
    if (c == NULL) {
        return fmi3Error;
    }
    return nvr == count ? (fmi3Status)fmu_get((fmu *)c, vr, nvr, values) : wrong_count(c, nvr, count);
}

API(fmi3Status, fmi3SetFloat64,
    (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3Float64 values[], size_t count))
{
    EXPECT(FMU_RUNNING | FMU_INSTANTIATED, fmi3SetFloat64)
    return nvr == count ? (fmi3Status)fmu_set((fmu *)c, vr, nvr, values) : wrong_count(c, nvr, count);
}

#define NONE(name, unused, ...) \
    API(fmi3Status, name, (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, __VA_ARGS__)) \
    { \
        (void)vr, (void)values, unused; \
        return c != NULL && nvr == 0 ? fmi3OK : refused(c, #name, "all variables of this FMU are Float64"); \
    }
#define NUMBERS(name) \
    NONE(fmi3Get##name, (void)count, fmi3##name values[], size_t count) \
    NONE(fmi3Set##name, (void)count, const fmi3##name values[], size_t count)
NUMBERS(Float32)
NUMBERS(Int8)
NUMBERS(UInt8)
NUMBERS(Int16)
NUMBERS(UInt16)
NUMBERS(Int32)
NUMBERS(UInt32)
NUMBERS(Int64)
NUMBERS(UInt64)
NUMBERS(Boolean)
NUMBERS(String)
NONE(fmi3GetBinary, ((void)sizes, (void)count), size_t sizes[], fmi3Binary values[], size_t count)
NONE(fmi3SetBinary, ((void)sizes, (void)count), const size_t sizes[], const fmi3Binary values[], size_t count)
NONE(fmi3GetClock, (void)0, fmi3Clock values[])
NONE(fmi3SetClock, (void)0, const fmi3Clock values[])
NONE(fmi3GetIntervalDecimal, (void)qualifiers, fmi3Float64 values[], fmi3IntervalQualifier qualifiers[])
NONE(fmi3GetIntervalFraction, ((void)resolutions, (void)qualifiers), fmi3UInt64 values[], fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[])
NONE(fmi3GetShiftDecimal, (void)0, fmi3Float64 values[])
NONE(fmi3GetShiftFraction, (void)resolutions, fmi3UInt64 values[], fmi3UInt64 resolutions[])
NONE(fmi3SetIntervalDecimal, (void)0, const fmi3Float64 values[])
NONE(fmi3SetIntervalFraction, (void)resolutions, const fmi3UInt64 values[], const fmi3UInt64 resolutions[])
NONE(fmi3SetShiftDecimal, (void)0, const fmi3Float64 values[])
NONE(fmi3SetShiftFraction, (void)resolutions, const fmi3UInt64 values[], const fmi3UInt64 resolutions[])

API(fmi3Status, fmi3GetNumberOfVariableDependencies, (fmi3Instance c, fmi3ValueReference vr, size_t *count))
{
    (void)vr, (void)count;
    return refused(c, "fmi3GetNumberOfVariableDependencies", "modelDescription.xml lists the dependencies");
}

API(fmi3Status, fmi3GetVariableDependencies,
    (fmi3Instance c, fmi3ValueReference dependent, size_t elements[], fmi3ValueReference independents[],
     size_t others[], fmi3DependencyKind kinds[], size_t count))
{
    (void)dependent, (void)elements, (void)independents, (void)others, (void)kinds, (void)count;
    return refused(c, "fmi3GetVariableDependencies", "modelDescription.xml lists the dependencies");
}

API(fmi3Status, fmi3GetFMUState, (fmi3Instance c, fmi3FMUState *state))
{
    return c == NULL || state == NULL ? fmi3Error : (fmi3Status)fmu_copy_out((fmu *)c, state);
}

API(fmi3Status, fmi3SetFMUState, (fmi3Instance c, fmi3FMUState state))
{
    return c == NULL ? fmi3Error : (fmi3Status)fmu_copy_in((fmu *)c, state, sizeof(fmu_numbers));
}

API(fmi3Status, fmi3FreeFMUState, (fmi3Instance c, fmi3FMUState *state))
{
    if (c == NULL || state == NULL) {
        return fmi3Error;
    }
    free(*state);
    *state = NULL;
    return fmi3OK;
}

API(fmi3Status, fmi3SerializedFMUStateSize, (fmi3Instance c, fmi3FMUState state, size_t *size))
{
    *size = sizeof(fmu_numbers);
    return c == NULL || state == NULL ? fmi3Error : fmi3OK;
}

API(fmi3Status, fmi3SerializeFMUState, (fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size))
{
    if (c == NULL || state == NULL || size < sizeof(fmu_numbers)) {
        return fmi3Error;
    }
    memcpy(bytes, state, sizeof(fmu_numbers));
    return fmi3OK;
}

API(fmi3Status, fmi3DeserializeFMUState,
    (fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state))
{
    if (c == NULL || state == NULL || size != sizeof(fmu_numbers)) {
        return fmi3Error;
    }
    const fmi3Status status = (fmi3Status)fmu_copy_out((fmu *)c, state);
    if (status == fmi3OK) {
        memcpy(*state, bytes, sizeof(fmu_numbers));
    }
    return status;
}

API(fmi3Status, fmi3GetDirectionalDerivative,
    (fmi3Instance c, const fmi3ValueReference unknowns[], size_t unknown_count, const fmi3ValueReference knowns[],
     size_t known_count, const fmi3Float64 seed[], size_t seed_count, fmi3Float64 sensitivity[],
     size_t sensitivity_count))
{
    EXPECT(FMU_RUNNING | FMU_TERMINATED, fmi3GetDirectionalDerivative)
    if (seed_count != known_count || sensitivity_count != unknown_count) {
        return wrong_count(c, seed_count != known_count ? known_count : unknown_count,
                           seed_count != known_count ? seed_count : sensitivity_count);
    }
    return (fmi3Status)fmu_derive((fmu *)c, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
}

API(fmi3Status, fmi3GetAdjointDerivative,
    (fmi3Instance c, const fmi3ValueReference unknowns[], size_t unknown_count, const fmi3ValueReference knowns[],
     size_t known_count, const fmi3Float64 seed[], size_t seed_count, fmi3Float64 sensitivity[],
     size_t sensitivity_count))
{
    (void)unknowns, (void)unknown_count, (void)knowns, (void)known_count, (void)seed, (void)seed_count;
    (void)sensitivity, (void)sensitivity_count;
    return refused(c, "fmi3GetAdjointDerivative", "this FMU has directional derivatives only");
}

#define WITHOUT(name, why) \
    API(fmi3Status, name, (fmi3Instance c)) { return refused(c, #name, why); }
WITHOUT(fmi3EnterConfigurationMode, "there are no structural parameters")
WITHOUT(fmi3ExitConfigurationMode, "there are no structural parameters")

API(fmi3Status, fmi3EvaluateDiscreteStates, (fmi3Instance c))
{
    EXPECT(FMU_INITIALIZATION | FMU_EVENT, fmi3EvaluateDiscreteStates)
    return fmi3OK;
}

API(fmi3Status, fmi3UpdateDiscreteStates,
    (fmi3Instance c, fmi3Boolean *more, fmi3Boolean *terminate, fmi3Boolean *nominals_changed,
     fmi3Boolean *values_changed, fmi3Boolean *has_next, fmi3Float64 *next))
{
    (void)next;
    EXPECT(FMU_EVENT, fmi3UpdateDiscreteStates)
    *more = *terminate = *nominals_changed = *values_changed = *has_next = false;
    return fmi3OK;
}

API(fmi3Status, fmi3EnterContinuousTimeMode, (fmi3Instance c))
{
    EXPECT(FMU_EVENT, fmi3EnterContinuousTimeMode)
    if (!((fmu *)c)->is_exchange) {
        return refused(c, "fmi3EnterContinuousTimeMode", "this is a co-simulation");
    }
    ((fmu *)c)->now.mode = FMU_CONTINUOUS;
    return fmi3OK;
}

API(fmi3Status, fmi3CompletedIntegratorStep,
    (fmi3Instance c, fmi3Boolean no_return, fmi3Boolean *enter_event_mode, fmi3Boolean *terminate))
{
    (void)no_return;
    EXPECT(FMU_CONTINUOUS, fmi3CompletedIntegratorStep)
    (void)fmu_evaluate((fmu *)c);
    fmu_take((fmu *)c);
    *enter_event_mode = *terminate = false;
    return fmi3OK;
}

API(fmi3Status, fmi3SetTime, (fmi3Instance c, fmi3Float64 time))
{
    EXPECT(FMU_EVENT | FMU_CONTINUOUS, fmi3SetTime)
    fmu_set_time((fmu *)c, time);
    return fmi3OK;
}

/* There are no continuous states and no event indicators. */
#define EMPTY(name, array) \
    API(fmi3Status, name, (fmi3Instance c, array, size_t nx)) \
    { \
        (void)x; \
        return c != NULL && nx == 0 ? fmi3OK : fmi3Error; \
    }
EMPTY(fmi3SetContinuousStates, const fmi3Float64 x[])
EMPTY(fmi3GetContinuousStateDerivatives, fmi3Float64 x[])
EMPTY(fmi3GetEventIndicators, fmi3Float64 x[])
EMPTY(fmi3GetContinuousStates, fmi3Float64 x[])
EMPTY(fmi3GetNominalsOfContinuousStates, fmi3Float64 x[])

#define COUNT(name) \
    API(fmi3Status, name, (fmi3Instance c, size_t *count)) \
    { \
        *count = 0; \
        return c == NULL ? fmi3Error : fmi3OK; \
    }
COUNT(fmi3GetNumberOfEventIndicators)
COUNT(fmi3GetNumberOfContinuousStates)

API(fmi3Status, fmi3EnterStepMode, (fmi3Instance c))
{
    EXPECT(FMU_EVENT, fmi3EnterStepMode)
    fmu *self = (fmu *)c;
    if (self->is_exchange) {
        return refused(c, "fmi3EnterStepMode", "this is a model exchange");
    }
    (void)fmu_evaluate(self);
    fmu_take(self);
    self->now.mode = FMU_STEP;
    return fmi3OK;
}

API(fmi3Status, fmi3GetOutputDerivatives,
    (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3Int32 orders[], fmi3Float64 values[],
     size_t count))
{
    (void)vr, (void)nvr, (void)orders, (void)values, (void)count;
    return refused(c, "fmi3GetOutputDerivatives", "rates are separate variables");
}

API(fmi3Status, fmi3DoStep,
    (fmi3Instance c, fmi3Float64 from, fmi3Float64 length, fmi3Boolean no_return, fmi3Boolean *events,
     fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last))
{
    (void)no_return;
    EXPECT(FMU_STEP, fmi3DoStep)
    const fmi3Status status = (fmi3Status)fmu_do_step((fmu *)c, from, length);
    *events = *terminate = *early = false;
    *last = ((fmu *)c)->now.time;
    return status;
}

API(fmi3Status, fmi3ActivateModelPartition, (fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time))
{
    (void)clock, (void)time;
    return refused(c, "fmi3ActivateModelPartition", "there is no scheduled execution");
}
