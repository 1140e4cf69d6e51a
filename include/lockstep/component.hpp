/* Components with their cell types. The tables are those of component.h:
 *
 *     struct place { ls_fix x, y; };
 *     constexpr ls_field place_fields[] = {LS_FIELD(place, x, LS_TYPE_FIX), ...};
 *     constexpr lockstep::component<place> Place("place", place_fields);
 *
 * A padding hole, or a member that the table lacks, does not compile if the component is constexpr.
 */
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
        uint32_t end = 0;
        for (const ls_field &field : list) {
            if (field.offset != end)
                the_fields_leave_a_hole();
            end = field.offset + field.bytes;
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
};

/* Presence without a cell. */
class tag : public ls_component
{
  public:
    using cell_type = void;
    constexpr explicit tag(const char *called) : ls_component{called, 0, 0, nullptr, false, 0}
    {
    }
};

/* The cells of a span, for `for (place &at : cells)` and cells[i]; not checked. */
template <class Cell> class cells
{
  public:
    constexpr cells(Cell *first, uint32_t count) noexcept : first_(first), count_(count)
    {
    }
    constexpr Cell *begin() const noexcept
    {
        return first_;
    }
    constexpr Cell *end() const noexcept
    {
        return first_ + count_;
    }
    constexpr uint32_t size() const noexcept
    {
        return count_;
    }
    constexpr Cell &operator[](uint32_t i) const noexcept
    {
        return first_[i];
    }

  private:
    Cell *first_;
    uint32_t count_;
};

} // namespace lockstep

#endif
