/* The functions of FMI 2.0, model exchange and co-simulation, around fmu.h. Declared here as the standard has them
 * (fmi2FunctionTypes.h), so that nothing else is needed to compile this. With FMI2_FUNCTION_PREFIX defined their names
 * begin with it, for linking several FMUs into one program. Written by symgen; free of conditions (MIT-0). */
#include "fmu.h"

typedef void *fmi2Component, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef void (*fmi2CallbackLogger)(void *, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
typedef struct {
    fmi2CallbackLogger logger;
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(void *, fmi2Status);
    void *componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
    fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged, nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

#if defined(FMI2_FUNCTION_PREFIX) && !defined(FMI2_OVERRIDE_FUNCTION_PREFIX)
#define FMI2(name) FMU_PASTED(FMI2_FUNCTION_PREFIX, name)
#else
#define FMI2(name) name
#endif
/* Declare a function of the standard, then begin to define it. */
#define API(type, name, arguments) FMU_EXPORT type FMI2(name) arguments; type FMI2(name) arguments
#define EXPECT(modes, name) \
    if (c == NULL || !fmu_is_in((fmu *)c, (modes), #name)) { \
        return fmi2Error; \
    }

static void say(fmu *self, fmu_status status, const char *message)
{
    static const char *const categories[] = { "logAll", "logStatusWarning", "logStatusDiscard", "logStatusError",
                                              "logStatusFatal" };
    const fmi2CallbackLogger log = (fmi2CallbackLogger)self->log;
    if (log != NULL) {
        log(self->environment, self->name, (fmi2Status)status, categories[status], "%s", message);
    }
}

static fmi2Status refused(fmi2Component c, const char *name, const char *why)
{
    return c == NULL ? fmi2Error : (fmi2Status)fmu_report((fmu *)c, FMU_ERROR, "%s: %s", name, why);
}

API(const char *, fmi2GetTypesPlatform, (void)) { return "default"; }
API(const char *, fmi2GetVersion, (void)) { return "2.0"; }

API(fmi2Status, fmi2SetDebugLogging,
    (fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[]))
{
    (void)count, (void)categories;
    if (c == NULL) {
        return fmi2Error;
    }
    ((fmu *)c)->logs = on;
    return fmi2OK;
}

API(fmi2Component, fmi2Instantiate,
    (fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources, const fmi2CallbackFunctions *functions,
     fmi2Boolean visible, fmi2Boolean logs))
{
    (void)resources, (void)visible;
    if (functions == NULL || functions->allocateMemory == NULL || functions->freeMemory == NULL) {
        return NULL;
    }
    fmu *self = fmu_new(functions->allocateMemory, functions->freeMemory, name);
    if (self == NULL) {
        return NULL;
    }
    self->log = (void (*)(void))functions->logger;
    self->environment = functions->componentEnvironment;
    self->say = say;
    self->is_exchange = type == fmi2ModelExchange;
    self->logs = logs;
    if (guid == NULL || strcmp(guid, FMU_TOKEN) != 0) {
        (void)fmu_report(self, FMU_ERROR, "the GUID is %s, this FMU's is %s", guid == NULL ? "" : guid, FMU_TOKEN);
        functions->freeMemory(self);
        return NULL;
    }
    return self;
}

API(void, fmi2FreeInstance, (fmi2Component c))
{
    if (c != NULL) {
        ((fmu *)c)->release(c);
    }
}

API(fmi2Status, fmi2SetupExperiment,
    (fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop, fmi2Real stop))
{
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    EXPECT(FMU_INSTANTIATED, fmi2SetupExperiment)
    fmu_set_time((fmu *)c, start);
    ((fmu *)c)->now.base_time = start; /* the motion begins whenever the simulation does */
    return fmi2OK;
}

API(fmi2Status, fmi2EnterInitializationMode, (fmi2Component c))
{
    EXPECT(FMU_INSTANTIATED, fmi2EnterInitializationMode)
    ((fmu *)c)->now.mode = FMU_INITIALIZATION;
    return fmi2OK;
}

API(fmi2Status, fmi2ExitInitializationMode, (fmi2Component c))
{
    EXPECT(FMU_INITIALIZATION, fmi2ExitInitializationMode)
    fmu *self = (fmu *)c;
    (void)fmu_evaluate(self); /* what cannot be solved is said where it is asked for */
    fmu_take(self);
    self->now.mode = self->is_exchange ? FMU_EVENT : FMU_STEP;
    return fmi2OK;
}

API(fmi2Status, fmi2Terminate, (fmi2Component c))
{
    EXPECT(FMU_RUNNING, fmi2Terminate)
    ((fmu *)c)->now.mode = FMU_TERMINATED;
    return fmi2OK;
}

API(fmi2Status, fmi2Reset, (fmi2Component c))
{
    if (c == NULL) {
        return fmi2Error;
    }
    fmu_begin((fmu *)c);
    return fmi2OK;
}

API(fmi2Status, fmi2GetReal, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Real value[]))
{
    return c == NULL ? fmi2Error : (fmi2Status)fmu_get((fmu *)c, vr, nvr, value);
}

API(fmi2Status, fmi2SetReal, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Real value[]))
{
    EXPECT(FMU_RUNNING | FMU_INSTANTIATED, fmi2SetReal)
    return (fmi2Status)fmu_set((fmu *)c, vr, nvr, value);
}

#define NONE(name, values) \
    API(fmi2Status, name, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, values)) \
    { \
        (void)vr, (void)value; \
        return c != NULL && nvr == 0 ? fmi2OK : refused(c, #name, "all variables of this FMU are real numbers"); \
    }
NONE(fmi2GetInteger, fmi2Integer value[])
NONE(fmi2GetBoolean, fmi2Boolean value[])
NONE(fmi2GetString, fmi2String value[])
NONE(fmi2SetInteger, const fmi2Integer value[])
NONE(fmi2SetBoolean, const fmi2Boolean value[])
NONE(fmi2SetString, const fmi2String value[])

API(fmi2Status, fmi2GetFMUstate, (fmi2Component c, fmi2FMUstate *state))
{
    return c == NULL || state == NULL ? fmi2Error : (fmi2Status)fmu_copy_out((fmu *)c, state);
}

API(fmi2Status, fmi2SetFMUstate, (fmi2Component c, fmi2FMUstate state))
{
    return c == NULL ? fmi2Error : (fmi2Status)fmu_copy_in((fmu *)c, state, sizeof(fmu_numbers));
}

API(fmi2Status, fmi2FreeFMUstate, (fmi2Component c, fmi2FMUstate *state))
{
    if (c == NULL || state == NULL) {
        return fmi2Error;
    }
    if (*state != NULL) {
        ((fmu *)c)->release(*state);
        *state = NULL;
    }
    return fmi2OK;
}

API(fmi2Status, fmi2SerializedFMUstateSize, (fmi2Component c, fmi2FMUstate state, size_t *size))
{
    *size = sizeof(fmu_numbers);
    return c == NULL || state == NULL ? fmi2Error : fmi2OK;
}

API(fmi2Status, fmi2SerializeFMUstate, (fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size))
{
    if (c == NULL || state == NULL || size < sizeof(fmu_numbers)) {
        return fmi2Error;
    }
    memcpy(bytes, state, sizeof(fmu_numbers));
    return fmi2OK;
}

API(fmi2Status, fmi2DeSerializeFMUstate,
    (fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state))
{
    if (c == NULL || state == NULL || size != sizeof(fmu_numbers)) {
        return fmi2Error;
    }
    const fmi2Status status = (fmi2Status)fmu_copy_out((fmu *)c, state);
    if (status == fmi2OK) {
        memcpy(*state, bytes, sizeof(fmu_numbers));
    }
    return status;
}

API(fmi2Status, fmi2GetDirectionalDerivative,
    (fmi2Component c, const fmi2ValueReference unknowns[], size_t unknown_count, const fmi2ValueReference knowns[],
     size_t known_count, const fmi2Real seed[], fmi2Real sensitivity[]))
{
    EXPECT(FMU_RUNNING | FMU_TERMINATED, fmi2GetDirectionalDerivative)
    return (fmi2Status)fmu_derive((fmu *)c, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
}

API(fmi2Status, fmi2EnterEventMode, (fmi2Component c))
{
    EXPECT(FMU_EVENT | FMU_CONTINUOUS, fmi2EnterEventMode)
    ((fmu *)c)->now.mode = FMU_EVENT;
    return fmi2OK;
}

API(fmi2Status, fmi2NewDiscreteStates, (fmi2Component c, fmi2EventInfo *info))
{
    EXPECT(FMU_EVENT, fmi2NewDiscreteStates)
    memset(info, 0, sizeof *info);
    return fmi2OK;
}

API(fmi2Status, fmi2EnterContinuousTimeMode, (fmi2Component c))
{
    EXPECT(FMU_EVENT, fmi2EnterContinuousTimeMode)
    ((fmu *)c)->now.mode = FMU_CONTINUOUS;
    return fmi2OK;
}

API(fmi2Status, fmi2CompletedIntegratorStep,
    (fmi2Component c, fmi2Boolean no_return, fmi2Boolean *enter_event_mode, fmi2Boolean *terminate))
{
    (void)no_return;
    EXPECT(FMU_CONTINUOUS, fmi2CompletedIntegratorStep)
    (void)fmu_evaluate((fmu *)c);
    fmu_take((fmu *)c);
    *enter_event_mode = *terminate = 0;
    return fmi2OK;
}

API(fmi2Status, fmi2SetTime, (fmi2Component c, fmi2Real time))
{
    EXPECT(FMU_EVENT | FMU_CONTINUOUS, fmi2SetTime)
    fmu_set_time((fmu *)c, time);
    return fmi2OK;
}

/* There are no continuous states and no event indicators. */
#define EMPTY(name, arguments) \
    API(fmi2Status, name, arguments) \
    { \
        (void)x; \
        return c != NULL && nx == 0 ? fmi2OK : fmi2Error; \
    }
EMPTY(fmi2SetContinuousStates, (fmi2Component c, const fmi2Real x[], size_t nx))
EMPTY(fmi2GetDerivatives, (fmi2Component c, fmi2Real x[], size_t nx))
EMPTY(fmi2GetEventIndicators, (fmi2Component c, fmi2Real x[], size_t nx))
EMPTY(fmi2GetContinuousStates, (fmi2Component c, fmi2Real x[], size_t nx))
EMPTY(fmi2GetNominalsOfContinuousStates, (fmi2Component c, fmi2Real x[], size_t nx))

#define ORDERS(name, values) \
    API(fmi2Status, name, \
        (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer order[], values)) \
    { \
        (void)vr, (void)nvr, (void)order, (void)value; \
        return refused(c, #name, "rates are separate variables"); \
    }
ORDERS(fmi2SetRealInputDerivatives, const fmi2Real value[])
ORDERS(fmi2GetRealOutputDerivatives, fmi2Real value[])

API(fmi2Status, fmi2DoStep, (fmi2Component c, fmi2Real from, fmi2Real length, fmi2Boolean no_return))
{
    (void)no_return;
    EXPECT(FMU_STEP, fmi2DoStep)
    return (fmi2Status)fmu_do_step((fmu *)c, from, length);
}

API(fmi2Status, fmi2CancelStep, (fmi2Component c))
{
    return refused(c, "fmi2CancelStep", "a step never runs asynchronously");
}

API(fmi2Status, fmi2GetRealStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Real *value))
{
    if (c == NULL || kind != fmi2LastSuccessfulTime) {
        return fmi2Discard;
    }
    *value = ((fmu *)c)->now.time;
    return fmi2OK;
}

API(fmi2Status, fmi2GetBooleanStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value))
{
    if (c == NULL || kind != fmi2Terminated) {
        return fmi2Discard;
    }
    *value = 0; /* after inputs that can be solved it goes on */
    return fmi2OK;
}

#define NO_STATUS(name, type) \
    API(fmi2Status, name, (fmi2Component c, const fmi2StatusKind kind, type *value)) \
    { \
        (void)c, (void)kind, (void)value; \
        return fmi2Discard; /* a step never runs asynchronously */ \
    }
NO_STATUS(fmi2GetStatus, fmi2Status)
NO_STATUS(fmi2GetIntegerStatus, fmi2Integer)
NO_STATUS(fmi2GetStringStatus, fmi2String)
