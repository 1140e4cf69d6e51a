/* The terms of include/lockstep/world_term.h with the types of components:
 *
 *     constexpr auto all = lockstep::writes_world<0>();
 *     all.write(context, Place, entity)->x = 0;
 *
 * Each call looks the component up by name. */
#ifndef LS_WHOLE_WORLD_HPP
#define LS_WHOLE_WORLD_HPP

#include <lockstep/access.hpp>
#include <lockstep/whole_world.h>

namespace lockstep
{

template <uint32_t number, bool can_write> class world_term
{
  public:
    static constexpr uint32_t index = number;

    constexpr operator ls_term() const
    {
        return ls_term{nullptr, LS_WORLD,       can_write ? LS_STRUCTURE : LS_READ,
                       0,       LS_FILTER_NONE, "the world"};
    }
    /* NULL when the entity is dead or lacks the component; the same for write(). */
    template <class Cell>
    const Cell *find(const ls_context *context, const component<Cell> &of,
                     ls_entity entity) const noexcept
    {
        return static_cast<const Cell *>(
            ls_cell_find_(context, ls_world_term(context, &of), entity));
    }
    bool has(const ls_context *context, const ls_component &of, ls_entity entity) const noexcept
    {
        return ls_cell_has(context, ls_world_term(context, &of), entity);
    }
    template <class Cell>
    Cell *write(ls_context *context, const component<Cell> &of, ls_entity entity) const noexcept
    {
        static_assert(can_write, "declare the term with lockstep::writes_world");
        return static_cast<Cell *>(ls_cell_write_(context, ls_world_term(context, &of), entity));
    }
    template <class Cell>
    bool attach(ls_context *context, const component<Cell> &of, ls_entity entity,
                const Cell &value) const noexcept
    {
        static_assert(can_write, "declare the term with lockstep::writes_world");
        return ls_cell_attach_(context, ls_world_term(context, &of), entity, &value);
    }
    bool attach(ls_context *context, const tag &of, ls_entity entity) const noexcept
    {
        static_assert(can_write, "declare the term with lockstep::writes_world");
        return ls_cell_attach_(context, ls_world_term(context, &of), entity, nullptr);
    }
    bool detach(ls_context *context, const ls_component &of, ls_entity entity) const noexcept
    {
        static_assert(can_write, "declare the term with lockstep::writes_world");
        return ls_cell_detach(context, ls_world_term(context, &of), entity);
    }
    template <class Cell>
    const Cell &read(const ls_context *context, const singleton<Cell> &of) const noexcept
    {
        return *static_cast<const Cell *>(ls_singleton_read_(context, ls_world_term(context, &of)));
    }
    template <class Cell> Cell &write(ls_context *context, const singleton<Cell> &of) const noexcept
    {
        static_assert(can_write, "declare the term with lockstep::writes_world");
        return *static_cast<Cell *>(ls_singleton_write_(context, ls_world_term(context, &of)));
    }
};

template <uint32_t number> constexpr auto reads_world()
{
    return world_term<number, false>();
}

template <uint32_t number> constexpr auto writes_world()
{
    return world_term<number, true>();
}

} // namespace lockstep

#endif
