/* ENet 1.3.17 and 1.3.18 lay out their structures alike; only one list of a peer has another name
 * and another use. A program compiled with either header therefore runs on either library. Debian's
 * upgrades exchange the library under an installed program. */
#include "proto/link_enet_versions.h"

#define FIRST_TRIED ENET_VERSION_CREATE(1, 3, 17)
#define LAST_TRIED  ENET_VERSION_CREATE(1, 3, 18)

static bool is_tried(ENetVersion version)
{
    return version >= FIRST_TRIED && version <= LAST_TRIED;
}

ls_status ls_enet_check_versions(ENetVersion compiled, ENetVersion loaded, ls_error *error)
{
    if (compiled == loaded || (is_tried(compiled) && is_tried(loaded)))
        return LS_OK;
    return ls_error_set(
        error, LS_ERROR_INCOMPATIBLE,
        "this program was compiled for ENet %d.%d.%d, and the library that it finds "
        "is ENet %d.%d.%d, whose structures may differ: install ENet "
        "%d.%d.%d or %d.%d.%d, or compile Lockstep again on this machine",
        ENET_VERSION_GET_MAJOR(compiled), ENET_VERSION_GET_MINOR(compiled),
        ENET_VERSION_GET_PATCH(compiled), ENET_VERSION_GET_MAJOR(loaded),
        ENET_VERSION_GET_MINOR(loaded), ENET_VERSION_GET_PATCH(loaded),
        ENET_VERSION_GET_MAJOR(FIRST_TRIED), ENET_VERSION_GET_MINOR(FIRST_TRIED),
        ENET_VERSION_GET_PATCH(FIRST_TRIED), ENET_VERSION_GET_MAJOR(LAST_TRIED),
        ENET_VERSION_GET_MINOR(LAST_TRIED), ENET_VERSION_GET_PATCH(LAST_TRIED));
}

/* Returns the list in which ENet 1.3.18 queues reliable packets. In the same place, a 1.3.17 peer
 * has only commands that ask for no acknowledgement. */
static ENetList *reliable_queue(ENetPeer *peer)
{
#if ENET_VERSION >= ENET_VERSION_CREATE(1, 3, 18)
    return &peer->outgoingSendReliableCommands;
#else
    return &peer->sentUnreliableCommands;
#endif
}

/* Counts the sequence numbers from the list's oldest control command that asks for an
 * acknowledgement to the newest one of the channel; 0 when the list has none. */
static uint32_t sequences_in(const ENetPeer *peer, ENetList *list)
{
    uint16_t newest = peer->channels[LS_CHANNEL_CONTROL].outgoingReliableSequenceNumber;
    uint32_t sequences = 0;
    for (ENetListIterator at = enet_list_begin(list); at != enet_list_end(list);
         at = enet_list_next(at)) {
        const ENetOutgoingCommand *command = (ENetOutgoingCommand *)at;
        uint32_t own = (uint16_t)(newest - command->reliableSequenceNumber) + 1u;
        if (command->command.header.channelID == LS_CHANNEL_CONTROL &&
            (command->command.header.command & ENET_PROTOCOL_COMMAND_FLAG_ACKNOWLEDGE))
            sequences = own > sequences ? own : sequences;
    }
    return sequences;
}

uint32_t ls_enet_queued_control_sequences(ENetPeer *peer)
{
    ENetList *lists[] = {&peer->outgoingCommands, reliable_queue(peer),
                         &peer->sentReliableCommands};
    uint32_t sequences = 0;
    for (uint32_t i = 0; i < LS_COUNT_OF(lists); i++) {
        uint32_t own = sequences_in(peer, lists[i]);
        sequences = own > sequences ? own : sequences;
    }
    return sequences;
}

/* Overwrites the connect id that ENet drew. It cannot be chosen before: 1.3.17 counts
 * host->randomSeed up, 1.3.18 mixes it. */
bool ls_enet_set_connect_id(ENetPeer *peer, uint32_t connect_id)
{
    ENetList *lists[] = {&peer->outgoingCommands, reliable_queue(peer)};
    for (uint32_t i = 0; i < LS_COUNT_OF(lists); i++) {
        for (ENetListIterator at = enet_list_begin(lists[i]); at != enet_list_end(lists[i]);
             at = enet_list_next(at)) {
            ENetProtocol *command = &((ENetOutgoingCommand *)at)->command;
            if ((command->header.command & ENET_PROTOCOL_COMMAND_MASK) !=
                ENET_PROTOCOL_COMMAND_CONNECT)
                continue;
            peer->connectID = connect_id;
            command->connect.connectID = connect_id;
            return true;
        }
    }
    return false;
}
