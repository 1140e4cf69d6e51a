using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using Lockstep.Native;

namespace Lockstep
{
    /// <summary>How a session joins. Address is HOST:PORT#KEY: with a key, only that server is accepted.</summary>
    public sealed class SessionOptions
    {
        public string Address;
        public string Name = "";
        /// <summary>The match; empty for any.</summary>
        public string Room = "";
        public string Password;
        /// <summary>For an address without a key: a file that keeps the keys of servers, which are trusted when first seen.
        /// Without both, any server is accepted.</summary>
        public string KnownServers;
        /// <summary>The round trip and the playout's depth, in ticks; 0: no prediction.</summary>
        public int PredictTicks;
        public bool IsSpectator;
        /// <summary>A program plays: the server is told.</summary>
        public bool IsMachine;
        /// <summary>Of an earlier session (Session.ResumeSecret): takes its seat again.</summary>
        public byte[] ResumeSecret;
        /// <summary>How many ticks an update runs at most while it catches up; 0: the library's number.</summary>
        public int StepTicks;
    }

    /// <summary>A client in a match. One thread at a time uses it. Each frame: Update(), Poll() until it is false, draw the
    /// worlds, SubmitState() and Submit().</summary>
    public sealed unsafe class Session : IDisposable, IWorlds
    {
        readonly Handle link, handle;
        readonly Trust trust;
        readonly ls_client* client;
        readonly Simulation simulation;
        ulong turn;

        public Session(Simulation simulation, SessionOptions options)
        {
            this.simulation = simulation;
            ls_program* program = (ls_program*)simulation.Program.Get(simulation);
            ls_server_address server;
            Parse(options.Address ?? "", &server);
            ls_link* opened;
            ls_error error;
            LockstepException.Check(Api.ls_link_enet_open(server.host, server.port, &opened, &error), &error);
            link = new Handle((IntPtr)opened, one => Api.ls_link_destroy((ls_link*)one), simulation.Program);
            trust = options.KnownServers != null && !server.has_key ? new Trust(options.KnownServers, server) : null;
            try
            {
                handle = Create(options, program, &server);
            }
            catch
            {
                trust?.Release();
                link.Dispose();
                throw;
            }
            client = Api.ls_session_client(At);
        }

        static void Parse(string address, ls_server_address* server)
        {
            ls_error error;
            fixed (byte* text = Text.Encode(address))
                LockstepException.Check(Api.ls_server_address_parse(text, server, &error), &error);
        }

        Handle Create(SessionOptions options, ls_program* program, ls_server_address* server)
        {
            ls_client_config config = Api.ls_client_config_default();
            config.program = program;
            config.link = (ls_link*)link.Get(this);
            config.pin = server->has_key ? &server->key : null;
            config.is_spectator = options.IsSpectator;
            config.is_machine = options.IsMachine;
            config.unix_s = (ulong)DateTimeOffset.UtcNow.ToUnixTimeSeconds();
            config.step_ticks = options.StepTicks > 0 ? (uint)options.StepTicks : config.step_ticks;
            if (trust != null)
                trust.Configure(&config);
            Text.Write(options.Name, config.name, (int)Constants.LS_NAME_BYTES, nameof(options.Name));
            Text.Write(options.Room, config.room, (int)Constants.LS_ROOM_BYTES, nameof(options.Room));
            if (options.ResumeSecret != null && options.ResumeSecret.Length != Constants.LS_RESUME_BYTES)
                throw new ArgumentException($"a resume secret has {Constants.LS_RESUME_BYTES} bytes");
            byte[] password = options.Password == null ? null : Text.Encode(options.Password);
            try
            {
                fixed (byte* word = password, secret = options.ResumeSecret)
                {
                    config.password = word;
                    config.resume_secret = secret;
                    ls_session* made;
                    ls_error error;
                    LockstepException.Check(Api.ls_session_create(&config, (uint)options.PredictTicks, &made, &error), &error);
                    Trust ends = trust;
                    return new Handle((IntPtr)made, one => { Api.ls_session_destroy((ls_session*)one); ends?.Release(); }, link);
                }
            }
            finally
            {
                if (password != null)
                    Array.Clear(password, 0, password.Length);
            }
        }

        ls_session* At
        {
            get { return (ls_session*)handle.Get(this); }
        }

        ls_client* Client
        {
            get { return At == null ? null : client; }
        }

        ulong IWorlds.Turn
        {
            get { return handle.IsEnded ? ulong.MaxValue : turn; }
        }

        /// <summary>Monotonic nanoseconds, the clock of Update().</summary>
        public static ulong Now
        {
            get { return (ulong)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency)); }
        }

        /// <summary>Does all that is due, and never waits. Ends the worlds that were given out.</summary>
        public void Update()
        {
            turn++;
            Api.ls_session_update(At, Now);
            if (trust != null)
                trust.Keep(State);
        }

        public ls_client_state State
        {
            get { return Api.ls_client_get_state(Client); }
        }

        public bool IsFinal
        {
            get { return Api.ls_client_is_final(Client); }
        }

        /// <summary>A sentence for the player on the state.</summary>
        public string Reason
        {
            get { return Text.Read(Api.ls_client_reason(Client)); }
        }

        public ls_client_stats Stats
        {
            get { return Api.ls_client_get_stats(Client); }
        }

        public ls_session_stats SessionStats
        {
            get { return Api.ls_session_get_stats(At); }
        }

        public World Confirmed
        {
            get
            {
                ls_world* world = Api.ls_session_view_of(At).confirmed;
                return new World(world, this, world == Api.ls_client_world(client));
            }
        }

        public World ConfirmedPrevious
        {
            get { return new World(Api.ls_session_view_of(At).confirmed_previous, this, false); }
        }

        public World Predicted
        {
            get { return new World(Api.ls_session_view_of(At).predicted, this, false); }
        }

        public World PredictedPrevious
        {
            get { return new World(Api.ls_session_view_of(At).predicted_previous, this, false); }
        }

        /// <summary>Where the picture is between the previous and the current world, 0 to 1.</summary>
        public double Fraction
        {
            get { return Api.ls_session_view_of(At).fraction / 4294967296.0; }
        }

        /// <summary>The next tick is overdue.</summary>
        public bool IsStalled
        {
            get { return Api.ls_session_view_of(At).is_stalled; }
        }

        /// <summary>Sets the player's state input from now on. LS_ERROR_REFUSED: the client does not play yet, or this tick has
        /// a state already; LS_ERROR_USAGE: the simulation's validator refuses it.</summary>
        public ls_status SubmitState(ReadOnlySpan<byte> state)
        {
            if (state.Length != simulation.StateBytes)
                throw new ArgumentException($"a state of {simulation.Name} has {simulation.StateBytes} bytes");
            fixed (byte* bytes = &MemoryMarshal.GetReference(state))
                return Api.ls_session_submit_state(At, bytes);
        }

        /// <summary>Gives an order. LS_ERROR_REFUSED, LS_ERROR_USAGE and LS_ERROR_LIMIT as ls_client_submit().</summary>
        public ls_status Submit(ReadOnlySpan<byte> order)
        {
            if (order.Length < 1 || order.Length > Constants.LS_INPUT_BYTES_MAX)
                throw new ArgumentException($"an order has 1 to {Constants.LS_INPUT_BYTES_MAX} bytes");
            fixed (byte* bytes = &MemoryMarshal.GetReference(order))
                return Api.ls_session_submit(At, bytes, (uint)order.Length);
        }

        /// <summary>The next update of a presentation event, each exactly once; false when there is none.</summary>
        public bool Poll(out EventUpdate update)
        {
            ls_event_update found;
            bool isThere = Api.ls_session_poll(At, &found);
            update = isThere ? new EventUpdate(simulation, &found) : default(EventUpdate);
            return isThere;
        }

        /// <summary>The key that the server has proven; null before.</summary>
        public byte[] ServerKey
        {
            get { return Copy((byte*)Api.ls_client_server_key(Client), sizeof(ls_public_key)); }
        }

        /// <summary>For SessionOptions.ResumeSecret of another process. A secret: keep it in a private file. Null before the
        /// server let the client in.</summary>
        public byte[] ResumeSecret
        {
            get { return Copy(Api.ls_client_resume_secret(Client), (int)Constants.LS_RESUME_BYTES); }
        }

        static byte[] Copy(byte* from, int bytes)
        {
            return from == null ? null : new ReadOnlySpan<byte>(from, bytes).ToArray();
        }

        /// <summary>Tells the server why this client goes. Dispose() says that it closed.</summary>
        public void Leave(string why)
        {
            fixed (byte* text = Text.Encode(why))
                Api.ls_client_leave(Client, text, Now);
        }

        public void Dispose()
        {
            if (handle.IsEnded)
                return;
            if (!IsFinal)
                Leave("closed");
            handle.Dispose();
            link.Dispose();
        }
    }

    /// <summary>Trust on first use, for as long as the session in C exists.</summary>
    sealed unsafe class Trust
    {
        static readonly ls_client_config_trust ask = Ask;
        readonly byte[] path;
        ls_server_address server;
        ls_public_key shown;
        bool isNew;
        GCHandle self;

        internal Trust(string path, ls_server_address server)
        {
            this.path = Text.Encode(path);
            this.server = server;
            self = GCHandle.Alloc(this);
        }

        internal void Configure(ls_client_config* config)
        {
            config->trust = Marshal.GetFunctionPointerForDelegate(ask);
            config->trust_context = (void*)GCHandle.ToIntPtr(self);
        }

        internal void Release()
        {
            self.Free();
        }

        [MonoPInvokeCallback(typeof(ls_client_config_trust))]
        static ls_status Ask(void* context, ls_public_key* key, ls_error* error)
        {
            return ((Trust)GCHandle.FromIntPtr((IntPtr)context).Target).Check(key, error);
        }

        ls_status Check(ls_public_key* key, ls_error* error)
        {
            fixed (byte* file = path)
            fixed (ls_server_address* address = &server)
            {
                ls_status status = Api.ls_known_servers_check(file, address, key, error);
                isNew = status == ls_status.LS_ERROR_NOT_FOUND;
                shown = *key;
                return isNew ? ls_status.LS_OK : status;
            }
        }

        /// <summary>Stores a new key once the server has let the client in.</summary>
        internal void Keep(ls_client_state state)
        {
            if (!isNew || state < ls_client_state.LS_CLIENT_CONNECTING || state > ls_client_state.LS_CLIENT_PLAYING)
                return;
            isNew = false;
            fixed (byte* file = path)
            fixed (ls_server_address* address = &server)
            fixed (ls_public_key* key = &shown)
            {
                ls_error error;
                LockstepException.Check(Api.ls_known_servers_add(file, address, key, &error), &error);
            }
        }
    }

    /// <summary>What became of a presentation event: a sound or a flash.</summary>
    public readonly struct EventUpdate
    {
        public ls_event_update_kind Kind { get; }
        public bool IsConfirmed { get; }
        /// <summary>Names the event in all its updates.</summary>
        public ulong Id { get; }
        public ulong Tick { get; }
        public Component Component { get; }
        /// <summary>The cell of the event; a copy.</summary>
        public byte[] Value { get; }

        internal unsafe EventUpdate(Simulation simulation, ls_event_update* from)
        {
            Kind = from->kind;
            IsConfirmed = from->is_confirmed;
            Id = from->id;
            Tick = from->tick;
            Component = simulation[Text.Read(from->@event->name)];
            Value = new ReadOnlySpan<byte>(from->value, Component.Bytes).ToArray();
        }

        public T As<T>() where T : struct
        {
            Component.Check<T>();
            return MemoryMarshal.Read<T>(Value);
        }
    }
}
