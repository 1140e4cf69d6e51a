using System;
using Lockstep.Native;

namespace Lockstep
{
    /// <summary>A recording with its simulation: the world before any tick, and whether it verifies.</summary>
    public sealed unsafe class Replay : IDisposable, IWorlds
    {
        readonly Handle player;
        ulong turn;

        /// <summary>Throws LockstepException for a damaged file and for another simulation. `allowsAnyBuild`: for a module
        /// whose sources differ.</summary>
        public Replay(Simulation simulation, string path, bool allowsAnyBuild = false)
        {
            ls_replay_player_config config = default(ls_replay_player_config);
            config.program = (ls_program*)simulation.Program.Get(simulation);
            config.allows_any_build = allowsAnyBuild;
            ls_recording* recording;
            ls_error error;
            fixed (byte* text = Text.Encode(path))
                LockstepException.Check(Api.ls_recording_open(text, &recording, &error), &error);
            ls_replay_player* made;
            ls_status status = Api.ls_replay_player_create(recording, &config, &made, &error);
            if (status != ls_status.LS_OK)
                Api.ls_recording_close(recording);
            LockstepException.Check(status, &error);
            player = new Handle((IntPtr)made, one => Api.ls_replay_player_close((ls_replay_player*)one), simulation.Program);
        }

        ls_replay_player* At
        {
            get { return (ls_replay_player*)player.Get(this); }
        }

        ulong IWorlds.Turn
        {
            get { return player.IsEnded ? ulong.MaxValue : turn; }
        }

        public ulong First
        {
            get { return Api.ls_replay_player_first(At); }
        }

        /// <summary>The tick after the last one.</summary>
        public ulong Last
        {
            get { return Api.ls_replay_player_last(At); }
        }

        public World World
        {
            get { return new World(Api.ls_replay_player_world(At), this, true); }
        }

        /// <summary>The world before `tick`. LS_ERROR_DIVERGED: a root differs from the recorded one.</summary>
        public World Seek(ulong tick)
        {
            turn++;
            ls_error error;
            LockstepException.Check(Api.ls_replay_player_seek(At, tick, &error), &error);
            return World;
        }

        public World Step()
        {
            turn++;
            ls_error error;
            LockstepException.Check(Api.ls_replay_player_step(At, &error), &error);
            return World;
        }

        /// <summary>Null if it is not recorded.</summary>
        public ulong? RecordedRoot(ulong tick)
        {
            ulong root;
            return Api.ls_replay_player_root(At, tick, &root) ? root : (ulong?)null;
        }

        public void Dispose()
        {
            player.Dispose();
        }
    }
}
