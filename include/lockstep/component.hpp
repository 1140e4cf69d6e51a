/* Components with their cell types, for reads of a world (world_read.hpp), from a definition of
 * define.h:
 *
 *     LS_COMPONENT(place, FIX(x), FIX(y));
 *     constexpr lockstep::component<place> Place(place_component);
 *
 *     LS_COMPONENT_OF(ls_fix2, speed, "speed", FIX(x), FIX(y));
 *     constexpr lockstep::component<ls_fix2> Speed(speed_component);
 *
 * If the component is constexpr, a definition of another size or kind does not compile. */
#ifndef LS_COMPONENT_HPP
#define LS_COMPONENT_HPP

#include <lockstep/define.h>

#include <type_traits>

namespace lockstep
{

/* Not constexpr: a constant component with a definition of another size fails to compile at this
 * name. */
inline void the_definition_is_of_another_size() noexcept
{
}

/* The same for the LS_EVENT of a lockstep::component, for example. */
inline void the_definition_is_of_another_kind() noexcept
{
}

/* Use component, singleton, event and tag below. Each is a pointer to its definition, which has to
 * last; `Cell` is what an entity has, void for a tag. */
template <class Cell> class any_component
{
  public:
    using cell_type = Cell;
    constexpr operator const ls_component *() const
    {
        return definition_;
    }

  protected:
    constexpr any_component(const ls_component &defined, bool single, bool is_sent)
        : definition_(&defined)
    {
        if constexpr (std::is_void_v<Cell>) {
            if (defined.bytes)
                the_definition_is_of_another_size();
        } else {
            static_assert(std::is_trivially_copyable_v<Cell> && std::is_standard_layout_v<Cell>,
                          "a component is a plain struct: it is hashed, copied and sent as bytes");
            if (defined.bytes != sizeof(Cell))
                the_definition_is_of_another_size();
        }
        if (defined.is_singleton != single || (defined.event_ticks != 0) != is_sent)
            the_definition_is_of_another_kind();
    }

  private:
    const ls_component *definition_;
};

template <class Cell> class component : public any_component<Cell>
{
  public:
    constexpr explicit component(const ls_component &defined)
        : any_component<Cell>(defined, false, false)
    {
    }
};

/* One cell for the whole world. */
template <class Cell> class singleton : public any_component<Cell>
{
  public:
    constexpr explicit singleton(const ls_component &defined)
        : any_component<Cell>(defined, true, false)
    {
    }
};

/* Sent by a system and received by later systems of the same tick, and of the next `ticks` - 1. */
template <class Cell> class event : public any_component<Cell>
{
  public:
    constexpr explicit event(const ls_component &defined)
        : any_component<Cell>(defined, false, true)
    {
    }
};

/* Presence without a cell. */
class tag : public any_component<void>
{
  public:
    constexpr explicit tag(const ls_component &defined) : any_component<void>(defined, false, false)
    {
    }
};

} // namespace lockstep

#endif
