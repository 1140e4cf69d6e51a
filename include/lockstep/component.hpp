/* Components with their cell types, from a definition of define.h or from a struct of your own and
 * its table (component.h):
 *
 *     LS_COMPONENT(place, FIX(x), FIX(y));
 *     constexpr lockstep::component<place> Place(place_component);
 *
 *     constexpr ls_field speed_fields[] = {LS_FIELD(speed, x, LS_TYPE_FIX), ...};
 *     constexpr lockstep::component<speed> Speed("speed", speed_fields);
 *
 * If the component is constexpr, these do not compile: a padding hole, a member that the table
 * lacks, and a definition of another size or kind. */
#ifndef LS_COMPONENT_HPP
#define LS_COMPONENT_HPP

#include <lockstep/component.h>

#include <type_traits>

namespace lockstep
{

/* Not constexpr: a constant component whose fields leave a hole fails to compile at this name. At
 * run time ls_component_check() refuses such a component. */
inline void the_fields_leave_a_hole() noexcept
{
}

/* The same for the LS_EVENT of a lockstep::component, for example. */
inline void the_definition_is_of_another_kind() noexcept
{
}

/* Use component, singleton, event and tag below. `Cell` is what an entity has, void for a tag. */
template <class Cell> class any_component : public ls_component
{
    static_assert(std::is_trivially_copyable_v<Cell> && std::is_standard_layout_v<Cell>,
                  "a component is a plain struct: it is hashed, copied and sent as bytes");

  public:
    using cell_type = Cell;

  protected:
    template <size_t count>
    constexpr any_component(const char *called, const ls_field (&list)[count], bool single,
                            uint8_t ticks)
        : ls_component{called,
                       static_cast<uint32_t>(sizeof(Cell)),
                       static_cast<uint32_t>(count),
                       list,
                       single,
                       ticks}
    {
        check_fields();
    }
    constexpr any_component(const ls_component &defined, bool single, bool is_sent)
        : ls_component(defined)
    {
        if (defined.is_singleton != single || (defined.event_ticks != 0) != is_sent)
            the_definition_is_of_another_kind();
        check_fields();
    }

  private:
    constexpr void check_fields() const
    {
        uint32_t end = 0;
        for (uint32_t i = 0; i < this->field_count; i++) {
            if (this->fields[i].offset != end)
                the_fields_leave_a_hole();
            end = this->fields[i].offset + this->fields[i].bytes;
        }
        if (end != sizeof(Cell))
            the_fields_leave_a_hole();
    }
};

template <class Cell> class component : public any_component<Cell>
{
  public:
    template <size_t count>
    constexpr component(const char *called, const ls_field (&list)[count])
        : any_component<Cell>(called, list, false, 0)
    {
    }
    constexpr explicit component(const ls_component &defined)
        : any_component<Cell>(defined, false, false)
    {
    }
};

/* One cell for the whole world. */
template <class Cell> class singleton : public any_component<Cell>
{
  public:
    template <size_t count>
    constexpr singleton(const char *called, const ls_field (&list)[count])
        : any_component<Cell>(called, list, true, 0)
    {
    }
    constexpr explicit singleton(const ls_component &defined)
        : any_component<Cell>(defined, true, false)
    {
    }
};

/* Sent by a system and received by later systems of the same tick, and of the next `ticks` - 1. */
template <class Cell> class event : public any_component<Cell>
{
  public:
    template <size_t count>
    constexpr event(const char *called, const ls_field (&list)[count], uint8_t ticks = 1)
        : any_component<Cell>(called, list, false, ticks)
    {
    }
    constexpr explicit event(const ls_component &defined)
        : any_component<Cell>(defined, false, true)
    {
    }
};

/* Presence without a cell. */
class tag : public ls_component
{
  public:
    using cell_type = void;
    constexpr explicit tag(const char *called) : ls_component{called, 0, 0, nullptr, false, 0}
    {
    }
    constexpr explicit tag(const ls_component &defined) : ls_component(defined)
    {
        if (defined.bytes || defined.event_ticks || defined.is_singleton)
            the_definition_is_of_another_kind();
    }
};

} // namespace lockstep

#endif
