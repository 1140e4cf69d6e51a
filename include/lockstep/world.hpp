/* Programs, executors, worlds and snapshots with an owner. Everything else is a C function of
 * world.h, program.h, snapshot.h or state.h, which takes the owner: ls_world_root(world). */
#ifndef LS_WORLD_HPP
#define LS_WORLD_HPP

#include <lockstep/executor.h>
#include <lockstep/handle.hpp>
#include <lockstep/program.h>
#include <lockstep/world.h>
#include <lockstep/world_run.h>

namespace lockstep
{

/* Each create() leaves the handle unchanged unless it returns LS_OK. */
class program : public handle<ls_program, ls_program_destroy>
{
  public:
    using handle::handle;
    [[nodiscard]] ls_status create(const ls_sim &sim, ls_error *error = nullptr) noexcept
    {
        return take([&](ls_program **made) { return ls_program_create(&sim, made, error); });
    }
};

class executor : public handle<ls_executor, ls_executor_destroy>
{
  public:
    using handle::handle;
    [[nodiscard]] ls_status create(const ls_executor_config &config,
                                   ls_error *error = nullptr) noexcept
    {
        return take([&](ls_executor **made) { return ls_executor_create(&config, made, error); });
    }
};

/* Destroy it before its world. */
class snapshot : public handle<ls_snapshot, ls_snapshot_destroy>
{
  public:
    using handle::handle;
    explicit snapshot(ls_world *world) noexcept : handle(ls_world_snapshot(world))
    {
    }
};

class world : public handle<ls_world, ls_world_destroy>
{
  public:
    using handle::handle;
    [[nodiscard]] ls_status create(const ls_program *program, const ls_match &match,
                                   ls_error *error = nullptr) noexcept
    {
        return take([&](ls_world **made) { return ls_world_create(program, &match, made, error); });
    }
    [[nodiscard]] ls_status advance(const ls_frame &frame, ls_executor *executor = nullptr,
                                    ls_error *error = nullptr) noexcept
    {
        return ls_world_advance(*this, &frame, executor, error);
    }
    /* Runs one system or one stage, for tests and tools; see world_run.h. */
    [[nodiscard]] ls_status run_system(const char *name, const ls_frame *frame = nullptr,
                                       ls_executor *executor = nullptr,
                                       ls_error *error = nullptr) noexcept
    {
        return ls_world_run_system(*this, name, frame, executor, error);
    }
    [[nodiscard]] ls_status run_stage(const char *name, const ls_frame *frame = nullptr,
                                      ls_executor *executor = nullptr,
                                      ls_error *error = nullptr) noexcept
    {
        return ls_world_run_stage(*this, name, frame, executor, error);
    }
};

} // namespace lockstep

#endif
