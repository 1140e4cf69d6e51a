/* The cells of a span as a range:
 *
 *     for (place &at : lockstep::cells(LS_WRITE_SPAN(context, place, span), span->count))
 *
 * NULL, of an optional term that the span lacks, is no cell. */
#ifndef LS_CELLS_HPP
#define LS_CELLS_HPP

#include <cstdint>

namespace lockstep
{

/* An index is not checked. */
template <class Cell> class cells
{
  public:
    constexpr cells(Cell *first, uint32_t count) noexcept : first_(first), count_(first ? count : 0)
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
