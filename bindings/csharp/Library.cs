using System;
using System.Runtime.InteropServices;
using System.Text;
using Lockstep.Native;

namespace Lockstep
{
    /// <summary>A call of the library that failed, with the library's own text.</summary>
    public sealed class LockstepException : Exception
    {
        public ls_status Status { get; }

        public LockstepException(ls_status status, string text) : base(text.Length > 0 ? text : status.ToString())
        {
            Status = status;
        }

        /// <summary>Throws unless the call gave LS_OK.</summary>
        internal static unsafe void Check(ls_status status, ls_error* error)
        {
            if (status != ls_status.LS_OK)
                throw new LockstepException(status, Text.Read(error->text));
        }
    }

    /// <summary>The library of this process. Everything else loads it when needed; call Load() first to choose the file, or
    /// to use Lockstep.Native.Api directly. Load() is for one thread; the rest follows docs/engines.md.</summary>
    public static unsafe class Library
    {
        /// <summary>Where the library was found; null before Load().</summary>
        public static string Path { get; private set; }

        static string DefaultPath
        {
            get { return SharedObject.IsWindows ? $"lockstep-{Constants.LS_ABI}.dll" : "liblockstep.so." + Constants.LS_ABI; }
        }

        /// <summary>Loads `path`, or else LOCKSTEP_LIBRARY of the environment, or else the library that the system
        /// finds. Does nothing if it is loaded. Throws LockstepException, with the remedy in its text.</summary>
        public static void Load(string path = null)
        {
            if (Path != null)
            {
                if (path != null && path != Path)
                    throw new LockstepException(ls_status.LS_ERROR_USAGE,
                                                $"{Path} is loaded, and a process has one engine: {path} is refused");
                return;
            }
            string given = path ?? Environment.GetEnvironmentVariable("LOCKSTEP_LIBRARY");
            if (string.IsNullOrEmpty(given))
                given = DefaultPath;
            // Global: a simulation's module takes the engine from here.
            IntPtr library = SharedObject.Open(given, true, out string reason);
            if (library == IntPtr.Zero)
                throw new LockstepException(ls_status.LS_ERROR_NOT_FOUND,
                                            $"{given} cannot be loaded ({reason}); install Lockstep, or set LOCKSTEP_LIBRARY to the path of {DefaultPath}");
            Check(given, library);
            Api.Bind(new FunctionFinder(library));
            Path = given;
        }

        static void Check(string path, IntPtr library)
        {
            IntPtr version = SharedObject.Find(library, "ls_library_abi");
            if (version == IntPtr.Zero)
                throw new LockstepException(ls_status.LS_ERROR_INCOMPATIBLE,
                                            $"{path} is not Lockstep's library: it has no ls_library_abi(); set LOCKSTEP_LIBRARY to the path of {DefaultPath}");
            uint abi = Marshal.GetDelegateForFunctionPointer<ls_library_abi_call>(version)();
            if (abi != Constants.LS_ABI)
                throw new LockstepException(ls_status.LS_ERROR_INCOMPATIBLE,
                                            $"{path} has LS_ABI {abi}, this binding was made for {Constants.LS_ABI}; use {DefaultPath}, or the binding that is installed with that library (share/lockstep/bindings)");
            string missing = new FunctionFinder(library).FindMissing();
            if (missing != null)
                throw new LockstepException(ls_status.LS_ERROR_INCOMPATIBLE,
                                            $"{path} lacks {missing}(): it is older than this binding; use the binding that is installed with that library (share/lockstep/bindings)");
            string wrong = Api.FindWrongStruct();
            if (wrong != null)
                throw new LockstepException(ls_status.LS_ERROR_INCOMPATIBLE,
                                            $"struct {wrong} has another size here: this binding was made for {Api.Target}, and this is a process of {IntPtr.Size * 8} bits; make Native.cs from lockstep-api.json of this machine");
        }
    }

    /// <summary>Functions of the library by name.</summary>
    sealed class FunctionFinder
    {
        readonly IntPtr library;

        internal FunctionFinder(IntPtr library)
        {
            this.library = library;
        }

        internal string FindMissing()
        {
            foreach (string name in Api.Names)
                if (SharedObject.Find(library, name) == IntPtr.Zero)
                    return name;
            return null;
        }

        internal T Get<T>(string name) where T : class
        {
            return Marshal.GetDelegateForFunctionPointer<T>(SharedObject.Find(library, name));
        }
    }

    /// <summary>The system's loader.</summary>
    static class SharedObject
    {
        const int Now = 2, Global = 0x100; // RTLD_NOW, RTLD_GLOBAL
        const uint AlteredSearchPath = 8;  // LOAD_WITH_ALTERED_SEARCH_PATH: a DLL's own folder first

        internal static bool IsWindows
        {
            get { return RuntimeInformation.IsOSPlatform(OSPlatform.Windows); }
        }

        // Since glibc 2.34 libdl is empty, and older ones have these functions only there.
        [DllImport("libdl.so.2", EntryPoint = "dlopen")] static extern IntPtr OpenOld(byte[] path, int flags);
        [DllImport("libdl.so.2", EntryPoint = "dlsym")] static extern IntPtr FindOld(IntPtr library, string name);
        [DllImport("libdl.so.2", EntryPoint = "dlerror")] static extern IntPtr ErrorOld();
        [DllImport("libc", EntryPoint = "dlopen")] static extern IntPtr OpenNew(byte[] path, int flags);
        [DllImport("libc", EntryPoint = "dlsym")] static extern IntPtr FindNew(IntPtr library, string name);
        [DllImport("libc", EntryPoint = "dlerror")] static extern IntPtr ErrorNew();
        [DllImport("kernel32", EntryPoint = "LoadLibraryExW", CharSet = CharSet.Unicode, SetLastError = true)]
        static extern IntPtr OpenWindows(string path, IntPtr file, uint flags);
        [DllImport("kernel32", EntryPoint = "GetProcAddress")] static extern IntPtr FindWindows(IntPtr library, string name);

        static readonly bool isOld = !IsWindows && HasOld();

        static bool HasOld()
        {
            try
            {
                ErrorOld();
                return true;
            }
            catch (Exception error) when (error is DllNotFoundException || error is EntryPointNotFoundException)
            {
                return false;
            }
        }

        internal static IntPtr Open(string path, bool isGlobal, out string reason)
        {
            reason = "";
            if (IsWindows)
            {
                uint flags = System.IO.Path.IsPathRooted(path) ? AlteredSearchPath : 0;
                IntPtr found = OpenWindows(path, IntPtr.Zero, flags);
                if (found == IntPtr.Zero)
                    reason = "error " + Marshal.GetLastWin32Error() + " of Windows";
                return found;
            }
            byte[] bytes = Text.Encode(path);
            int mode = Now | (isGlobal ? Global : 0);
            IntPtr library = isOld ? OpenOld(bytes, mode) : OpenNew(bytes, mode);
            if (library == IntPtr.Zero)
                reason = Marshal.PtrToStringAnsi(isOld ? ErrorOld() : ErrorNew()) ?? "no reason given";
            return library;
        }

        internal static IntPtr Find(IntPtr library, string name)
        {
            return IsWindows ? FindWindows(library, name) : isOld ? FindOld(library, name) : FindNew(library, name);
        }
    }

    /// <summary>IL2CPP of Unity goes by this name: C may call only static methods that have it.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    sealed class MonoPInvokeCallbackAttribute : Attribute
    {
        internal MonoPInvokeCallbackAttribute(Type type)
        {
            Type = type;
        }

        internal Type Type { get; }
    }

    /// <summary>Text of C: UTF-8 with a zero at the end.</summary>
    static unsafe class Text
    {
        internal static byte[] Encode(string text)
        {
            if (text.IndexOf('\0') >= 0)
                throw new ArgumentException("a text for the library holds no zero");
            return Encoding.UTF8.GetBytes(text + "\0");
        }

        /// <summary>Into a buffer of C, whose size is that of the member.</summary>
        internal static void Write(string text, byte* into, int bytes, string what)
        {
            byte[] encoded = Encode(text);
            if (encoded.Length > bytes)
                throw new ArgumentException($"{what} has {encoded.Length - 1} bytes, at most {bytes - 1}");
            Marshal.Copy(encoded, 0, (IntPtr)into, encoded.Length);
        }

        internal static string Read(byte* text)
        {
            if (text == null)
                return null;
            int count = 0;
            while (text[count] != 0)
                count++;
            return Encoding.UTF8.GetString(text, count);
        }
    }

    /// <summary>An object of C that ends with its owner, and that keeps alive what it needs: a session its program.</summary>
    sealed class Handle : SafeHandle
    {
        readonly Action<IntPtr> destroy;
        readonly Handle needs;

        internal Handle(IntPtr made, Action<IntPtr> destroy, Handle needs = null) : base(IntPtr.Zero, true)
        {
            this.destroy = destroy;
            this.needs = needs;
            bool isTaken = false;
            if (needs != null)
                needs.DangerousAddRef(ref isTaken);
            SetHandle(made);
        }

        public override bool IsInvalid
        {
            get { return handle == IntPtr.Zero; }
        }

        /// <summary>Its owner has ended it, although others may still need it.</summary>
        internal bool IsEnded { get; private set; }

        protected override void Dispose(bool disposing)
        {
            IsEnded = true;
            base.Dispose(disposing);
        }

        /// <summary>The object; throws ObjectDisposedException when its owner has ended it.</summary>
        internal unsafe void* Get(object owner)
        {
            if (IsEnded)
                throw new ObjectDisposedException(owner.GetType().Name);
            return (void*)handle;
        }

        protected override bool ReleaseHandle()
        {
            destroy(handle);
            if (needs != null)
                needs.DangerousRelease();
            return true;
        }
    }
}

namespace Lockstep.Native
{
    /// <summary>A bool of C: one byte, whatever C# passes to C for its own.</summary>
    public readonly struct Bool
    {
        readonly byte value;

        public Bool(bool value)
        {
            this.value = (byte)(value ? 1 : 0);
        }

        public static implicit operator bool(Bool from)
        {
            return from.value != 0;
        }

        public static implicit operator Bool(bool from)
        {
            return new Bool(from);
        }

        public override string ToString()
        {
            return value != 0 ? "true" : "false";
        }
    }
}
