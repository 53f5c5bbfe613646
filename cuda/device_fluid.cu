// The fluid's memory on the device, and the order of a step: velocity_step and step of solver.hpp
// again, with launches for loops.
#include "cuda/device_fluid.hpp"

#include <cstring>
#include <optional>

#include "common/gpu/owners.cuh"
#include "cuda/kernels.cuh"

namespace device {

namespace {

std::size_t padded_cells(int N) {
    return std::size_t{1} * row_on_device(N) * N * N;
}

/// Memory for a field whose rows begin, at i = 1, with a line of memory. So the threads of a warp
/// find their 32 cells in one line. In front of it there is a line of which cell (0, 0, 0) is the
/// last float.
Floats make_field(int N) {
    return make_floats(floats_in_line + padded_cells(N));
}

FieldView view_of(const Floats& memory, int N) {
    return {memory.get() + floats_in_line - 1, N, row_on_device(N)};
}

/// A field as it is now, and memory for what it was before the operation under way.
struct Pair {
    Floats memory[2];
    FieldView now, prev;

    explicit Pair(int N)
        : memory{make_field(N), make_field(N)}, now(view_of(memory[0], N)),
          prev(view_of(memory[1], N)) {}
    void swap() { std::swap(now, prev); }
    bool is_home() const { return now.cells == view_of(memory[0], now.N).cells; }
};

/// Told of each operation as it is queued; events in the stream note when it is over. They are made
/// before the first operation: that takes time.
class Marks {
  public:
    Marks(cudaStream_t where, std::vector<Event>& made) : stream(where), events(made) {
        while (events.size() < most) {
            events.push_back(make_event());
        }
        after(nullptr);
    }

    void after(float Timings::*part) {
        CHECK(cudaEventRecord(events.at(parts.size()).get(), stream));
        parts.push_back(part);
    }

    Timings read() const {
        CHECK(cudaEventSynchronize(events[parts.size() - 1].get()));
        Timings timings;
        for (std::size_t n = 1; n < parts.size(); ++n) {
            float ms = 0.0f;
            CHECK(cudaEventElapsedTime(&ms, events[n - 1].get(), events[n].get()));
            timings.*parts[n] += ms;
        }
        return timings;
    }

  private:
    static constexpr std::size_t most = 12;  // in a step with all its parts
    cudaStream_t stream;
    std::vector<Event>& events;
    std::vector<float Timings::*> parts;
};

/// How many marching blocks the GPU runs at once: a multiprocessor takes one of 1024 threads, or
/// two.
int marching_blocks_at_once() {
    int device = 0;
    CHECK(cudaGetDevice(&device));
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, device));
    return properties.multiProcessorCount *
           (properties.maxThreadsPerMultiProcessor / (march_width * march_width));
}

int checked(int N) {
    if (const std::string problem = why_not_size(N); !problem.empty()) {
        throw Error(problem);
    }
    if (const std::string problem = why_not(); !problem.empty()) {
        throw Error(problem);
    }
    std::size_t free_bytes = 0;
    std::size_t all_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &all_bytes));
    if (const std::string problem = why_not_memory(N, static_cast<double>(free_bytes));
        !problem.empty()) {
        throw Error(problem);
    }
    return N;
}

}  // namespace

struct DeviceFluid::Inside {
    int N;
    Stream stream = make_stream();
    Pair density, u, v, w;
    Pair pressure;  ///< its `prev` is the relaxation's spare field
    Floats divergence;
    int depth;  ///< how many layers a marching block writes
    Pinned landing;  ///< for a field on its way to the host, from the first one on
    std::vector<Event> events;  ///< for timed steps, from the first one on
    GraphExec graph;
    std::optional<std::pair<Settings, float>> captured;  ///< the step that the graph replays

    explicit Inside(int n)
        : N(checked(n)), density(N), u(N), v(N), w(N), pressure(N), divergence(make_field(N)),
          depth(march_depth(N, marching_blocks_at_once())) {}

    void diffuse(BoundaryType boundary, Pair& x, float rate, const Settings& settings, float dt);
    void project(const Settings& settings, Marks* marks);
    void velocity_step(const Settings& settings, float dt, Marks* marks);
    void step(const Settings& settings, float dt, Marks* marks);
    void capture(const Settings& settings, float dt);
};

/// What was `now` is the anchor, and the first guess: it need not be copied.
void DeviceFluid::Inside::diffuse(BoundaryType boundary, Pair& x, float rate,
                                  const Settings& settings, float dt) {
    x.swap();
    const float a = dt * rate * (N - 2) * (N - 2);
    const Sweep sweep = {boundary, x.now, x.prev, a, 1.0f / (1.0f + 6.0f * a)};
    relax(stream.get(), settings.kernels, sweep, x.prev, pressure.prev, settings.iterations, depth);
}

void DeviceFluid::Inside::project(const Settings& settings, Marks* marks) {
    const auto done = [&](float Timings::*part) { marks ? marks->after(part) : void(); };
    const FieldView rhs = view_of(divergence, N);
    find_divergence(stream.get(), rhs, pressure.now, {u.now, v.now, w.now});
    done(&Timings::divergence);
    const FieldView zero = {nullptr, N};
    const Sweep sweep = {BoundaryType::SCALAR, pressure.now, rhs, 1.0f, 1.0f / 6.0f};
    relax(stream.get(), settings.kernels, sweep, zero, pressure.prev, settings.iterations, depth);
    done(&Timings::relax);
    subtract_gradient(stream.get(), {u.now, v.now, w.now}, pressure.now);
    done(&Timings::gradient);
}

void DeviceFluid::Inside::velocity_step(const Settings& settings, float dt, Marks* marks) {
    const auto done = [&](float Timings::*part) { marks ? marks->after(part) : void(); };
    if (settings.diffuse_velocity) {
        diffuse(BoundaryType::VELOCITY_HORIZONTAL, u, settings.visc, settings, dt);
        diffuse(BoundaryType::VELOCITY_VERTICAL, v, settings.visc, settings, dt);
        diffuse(BoundaryType::VELOCITY_DEPTH, w, settings.visc, settings, dt);
        done(&Timings::relax);
    }
    if (settings.project_velocity) {
        project(settings, marks);
    }
    if (settings.advect_velocity) {
        u.swap();
        v.swap();
        w.swap();
        advect(stream.get(), settings.kernels != Kernels::CELL,
               {BoundaryType::VELOCITY_HORIZONTAL, u.now, u.prev},
               {BoundaryType::VELOCITY_VERTICAL, v.now, v.prev},
               {BoundaryType::VELOCITY_DEPTH, w.now, w.prev}, {u.prev, v.prev, w.prev}, dt);
        done(&Timings::advect);
    }
    if (settings.project_velocity) {
        project(settings, marks);
    }
}

void DeviceFluid::Inside::step(const Settings& settings, float dt, Marks* marks) {
    const auto done = [&](float Timings::*part) { marks ? marks->after(part) : void(); };
    velocity_step(settings, dt, marks);

    diffuse(BoundaryType::SCALAR, density, settings.diff, settings, dt);
    done(&Timings::relax);
    density.swap();
    advect(stream.get(), {BoundaryType::SCALAR, density.now, density.prev}, {u.now, v.now, w.now},
           dt);
    done(&Timings::advect);

    // A graph remembers addresses. So each field must end where it began: after an odd number of
    // swaps, where diffusion or advection is switched off, it is copied back.
    for (Pair* field : {&u, &v, &w}) {
        if (!field->is_home()) {
            CHECK(cudaMemcpyAsync(field->prev.cells, field->now.cells, bytes_of(field->now),
                                  cudaMemcpyDeviceToDevice, stream.get()));
            field->swap();
        }
    }
    done(&Timings::copy);
}

/// Lets the stream write down what it is told, instead of doing it. Replaying that takes one call,
/// however many launches it holds.
void DeviceFluid::Inside::capture(const Settings& settings, float dt) {
    captured.reset();
    CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    cudaGraph_t graph_of_step = nullptr;
    try {
        step(settings, dt, nullptr);
    } catch (...) {
        cudaStreamEndCapture(stream.get(), &graph_of_step);
        cudaGetLastError();  // whatever it says, the first error is the one to tell
        const Graph dropped(graph_of_step);
        for (Pair* field : {&density, &u, &v, &w}) {  // nothing was done: all is where it was
            if (!field->is_home()) {
                field->swap();
            }
        }
        throw;
    }
    CHECK(cudaStreamEndCapture(stream.get(), &graph_of_step));
    const Graph owner(graph_of_step);
    cudaGraphExec_t ready = nullptr;
    CHECK(cudaGraphInstantiate(&ready, graph_of_step, 0));
    graph = GraphExec(ready);
    captured.emplace(settings, dt);
}

// ---- For those outside -------------------------------------------------------------------------

std::string why_not() {
    return why_no_gpu("program", kernels_fit);
}

std::string name() {
    if (!why_not().empty()) {
        return "";
    }
    int device = 0;
    CHECK(cudaGetDevice(&device));
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, device));
    return std::string(properties.name) + ", " + std::to_string(properties.multiProcessorCount) +
           " multiprocessors, " + std::to_string(properties.totalGlobalMem >> 30) + " GiB";
}

DeviceFluid::DeviceFluid(int N) : inside(std::make_unique<Inside>(N)) {
    CHECK(cudaDeviceSynchronize());  // its memory is cleared by another stream than its own
}

DeviceFluid::~DeviceFluid() {
    if (inside) {
        if (cudaStreamSynchronize(inside->stream.get()) != cudaSuccess) {
            cudaGetLastError();  // nobody could be told
        }
    }
}

DeviceFluid::DeviceFluid(DeviceFluid&&) noexcept = default;

DeviceFluid& DeviceFluid::operator=(DeviceFluid&& other) noexcept {
    const DeviceFluid old(std::move(*this));  // ends when it has nothing left to do
    inside = std::move(other.inside);
    return *this;
}

int DeviceFluid::N() const {
    return inside->N;
}

void DeviceFluid::upload(const float* density, const float* u, const float* v, const float* w) {
    const std::pair<const float*, FieldView> copies[] = {
        {density, inside->density.now}, {u, inside->u.now}, {v, inside->v.now}, {w, inside->w.now}};
    for (const auto& [from, to] : copies) {
        if (from) {
            const int N = inside->N;
            CHECK(cudaMemcpy2DAsync(to.cells, to.row * sizeof(float), from, N * sizeof(float),
                                    N * sizeof(float), N * N, cudaMemcpyHostToDevice,
                                    inside->stream.get()));
            wait();  // the caller may free it, even if the next one fails
        }
    }
}

void DeviceFluid::download(float* density, float* u, float* v, float* w, float* pressure) {
    const std::pair<float*, FieldView> copies[] = {{density, inside->density.now},
                                                   {u, inside->u.now},
                                                   {v, inside->v.now},
                                                   {w, inside->w.now},
                                                   {pressure, inside->pressure.now}};
    for (const auto& [to, from] : copies) {
        if (to) {
            const int N = inside->N;
            const std::size_t cells = std::size_t{1} * N * N * N;
            if (!inside->landing.get()) {
                inside->landing = make_pinned(cells);
            }
            CHECK(cudaMemcpy2DAsync(inside->landing.get(), N * sizeof(float), from.cells,
                                    from.row * sizeof(float), N * sizeof(float), N * N,
                                    cudaMemcpyDeviceToHost, inside->stream.get()));
            wait();
            std::memcpy(to, inside->landing.get(), cells * sizeof(float));
        }
    }
}

void DeviceFluid::step(const Settings& settings, float dt) {
    if (!settings.graph) {
        inside->step(settings, dt, nullptr);
        return;
    }
    if (inside->captured != std::pair(settings, dt)) {
        inside->capture(settings, dt);
    }
    CHECK(cudaGraphLaunch(inside->graph.get(), inside->stream.get()));
}

void DeviceFluid::wait() {
    CHECK(cudaStreamSynchronize(inside->stream.get()));
}

Timings DeviceFluid::timed_step(const Settings& settings, float dt) {
    Marks marks(inside->stream.get(), inside->events);
    inside->step(settings, dt, &marks);
    return marks.read();
}

int DeviceFluid::depth() const {
    return inside->depth;
}

float DeviceFluid::timed_scale(int repeats) {
    const auto count = static_cast<int>(padded_cells(inside->N));
    const cudaStream_t stream = inside->stream.get();
    const auto once = [&] {
        scale(stream, inside->pressure.memory[1].get(), inside->divergence.get(), 0.5f, count);
    };
    once();
    const Event begin = make_event();
    const Event end = make_event();
    CHECK(cudaEventRecord(begin.get(), stream));
    for (int n = 0; n < repeats; ++n) {
        once();
    }
    CHECK(cudaEventRecord(end.get(), stream));
    CHECK(cudaEventSynchronize(end.get()));
    float ms = 0.0f;
    CHECK(cudaEventElapsedTime(&ms, begin.get(), end.get()));
    return ms / repeats;
}

}  // namespace device
