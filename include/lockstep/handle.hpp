/* The owner of one C object, which C++ destroys at the end of its scope. It can be moved and not
 * copied, has the size of a pointer, and converts to the pointer, so every C function takes it.
 *   order   members and variables are destroyed from the last to the first: declare a program
 * before its worlds, a link before its session */
#ifndef LS_HANDLE_HPP
#define LS_HANDLE_HPP

#include <lockstep/base.h>

namespace lockstep
{

template <class Object, void (*destroy)(Object *)> class handle
{
  public:
    handle() noexcept = default;
    explicit handle(Object *owned) noexcept : object_(owned)
    {
    }
    handle(handle &&other) noexcept : object_(other.release())
    {
    }
    handle &operator=(handle &&other) noexcept
    {
        reset(other.release());
        return *this;
    }
    handle(const handle &) = delete;
    handle &operator=(const handle &) = delete;
    ~handle()
    {
        reset();
    }

    Object *get() const noexcept
    {
        return object_;
    }
    operator Object *() const &noexcept
    {
        return object_;
    }
    /* The object of a temporary would be destroyed before its pointer is used. */
    operator Object *() const && = delete;

    /* Gives the object away: the caller destroys it. */
    [[nodiscard]] Object *release() noexcept
    {
        Object *object = object_;
        object_ = nullptr;
        return object;
    }
    void reset(Object *owned = nullptr) noexcept
    {
        Object *old = object_;
        object_ = owned;
        if (old)
            destroy(old);
    }

  protected:
    /* Calls make(Object **). The handle is unchanged unless that succeeds. */
    template <class Make> [[nodiscard]] ls_status take(Make make)
    {
        Object *made = nullptr;
        ls_status status = make(&made);
        if (status == LS_OK)
            reset(made);
        return status;
    }

  private:
    Object *object_ = nullptr;
};

} // namespace lockstep

#endif
