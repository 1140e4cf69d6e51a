/* Links, clients and sessions with an owner. Declare the link before the client or session that
 * uses it, and the program before both. */
#ifndef LS_SESSION_HPP
#define LS_SESSION_HPP

#include <lockstep/handle.hpp>
#include <lockstep/link_enet.h>
#include <lockstep/session.h>

namespace lockstep
{

/* Each create() and open() leaves the handle unchanged unless it returns LS_OK. */
class link : public handle<ls_link, ls_link_destroy>
{
  public:
    using handle::handle;
    [[nodiscard]] ls_status open(const char *host, uint16_t port,
                                 ls_error *error = nullptr) noexcept
    {
        return take([&](ls_link **made) { return ls_link_enet_open(host, port, made, error); });
    }
    [[nodiscard]] ls_status listen(const ls_link_enet_config &config,
                                   ls_error *error = nullptr) noexcept
    {
        return take([&](ls_link **made) { return ls_link_enet_listen(&config, made, error); });
    }
};

class client : public handle<ls_client, ls_client_destroy>
{
  public:
    using handle::handle;
    [[nodiscard]] ls_status create(const ls_client_config &config,
                                   ls_error *error = nullptr) noexcept
    {
        return take([&](ls_client **made) { return ls_client_create(&config, made, error); });
    }
};

class session : public handle<ls_session, ls_session_destroy>
{
  public:
    using handle::handle;
    [[nodiscard]] ls_status create(const ls_client_config &config, uint32_t predict_ticks,
                                   ls_error *error = nullptr) noexcept
    {
        return take([&](ls_session **made) {
            return ls_session_create(&config, predict_ticks, made, error);
        });
    }
    /* The session owns it: for its state, reason and statistics, and to leave. */
    ls_client *client() const noexcept
    {
        return ls_session_client(*this);
    }
};

} // namespace lockstep

#endif
