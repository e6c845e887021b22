// What Wine 8.0 lacks of Windows, for the tests of .ci/windows/run alone; it is never shipped. Go's runtime loads this
// library from the system folder when a program starts, and so the second part too is there in every program.
#include <windows.h>
#include <winternl.h>
#include <string.h>

// SystemFunction036 is the exported name of RtlGenRandom.
BOOLEAN NTAPI SystemFunction036(PVOID data, ULONG size);

// ProcessPrng is where Go's runtime and crypto/rand get random numbers. Wine has it from version 9 on.
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) {
  return SystemFunction036(data, (ULONG)size);
}

typedef NTSTATUS(NTAPI *set_information_file)(HANDLE, PIO_STATUS_BLOCK, PVOID, ULONG, FILE_INFORMATION_CLASS);
static set_information_file set_information;

#define NOT_IMPLEMENTED ((NTSTATUS)0xC0000002)
#define INVALID_INFO_CLASS ((NTSTATUS)0xC0000003)

// Go deletes and renames by information classes that Wine 8.0 lacks, as do the versions of Windows before 10 1709.
// Those say that the class is invalid, upon which Go takes an older one. Wine says that it is not implemented, which Go
// reports.
static NTSTATUS NTAPI answer_as_windows(
    HANDLE file, PIO_STATUS_BLOCK io, PVOID data, ULONG size, FILE_INFORMATION_CLASS class) {
  NTSTATUS status = set_information(file, io, data, size, class);
  return status == NOT_IMPLEMENTED ? INVALID_INFO_CLASS : status;
}

typedef NTSTATUS(NTAPI *create_process)(
    HANDLE *, HANDLE *, ACCESS_MASK, ACCESS_MASK, void *, void *, ULONG, ULONG, void *, void *, void *);
static create_process create_user_process;

#define INTERNAL_ERROR ((NTSTATUS)0xC00000E5)

// Wine on a busy machine loses the connection to a new program about once in a thousand times ("wine client error:
// sendmsg: Bad file descriptor"), before the program has run anything. The next attempt succeeds.
static NTSTATUS NTAPI create_again(
    HANDLE *process, HANDLE *thread, ACCESS_MASK process_rights, ACCESS_MASK thread_rights, void *process_attributes,
    void *thread_attributes, ULONG process_flags, ULONG thread_flags, void *parameters, void *info, void *list) {
  NTSTATUS status = INTERNAL_ERROR;
  for (int attempt = 0; attempt < 5 && status == INTERNAL_ERROR; attempt++)
    status = create_user_process(
        process, thread, process_rights, thread_rights, process_attributes, thread_attributes, process_flags,
        thread_flags, parameters, info, list);
  return status;
}

// A function of ntdll.dll that is a system call begins with these bytes, has this size in all, and runs at any address.
static const BYTE stub_beginning[] = {0x4c, 0x8b, 0xd1, 0xb8}; // mov r10, rcx; mov eax, NUMBER
#define STUB_SIZE 32

// Windows gives a program in a pseudo console the console's handles as its standard streams. Wine leaves them empty if
// the program was started with STARTF_USESTDHANDLES.
static void open_console(DWORD stream, const char *name) {
  SECURITY_ATTRIBUTES inherited = {sizeof(inherited), NULL, TRUE};
  if (GetStdHandle(stream)) return;
  HANDLE console = CreateFileA(
      name, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, NULL);
  if (console != INVALID_HANDLE_VALUE) SetStdHandle(stream, console);
}

// The terminal of a test. Wine's console host takes escape sequences for text. So a text that is written to a console
// in the mode ENABLE_VIRTUAL_TERMINAL_PROCESSING goes to the pipe that this variable names.
static const char terminal_variable[] = "PAYCTL_TEST_CONSOLE";
static HANDLE terminal, keyboard;

static BOOL write_all(const char *text, DWORD size) {
  for (DWORD written; size > 0; text += written, size -= written)
    if (!WriteFile(terminal, text, size, &written, NULL)) return FALSE;
  return TRUE;
}

static BOOL WINAPI write_console(HANDLE console, const WCHAR *text, DWORD length, DWORD *written, void *reserved) {
  static SRWLOCK lock = SRWLOCK_INIT;
  static WCHAR half; // the first half of a character, whose second one comes with the next text
  DWORD mode;
  if (!terminal || !GetConsoleMode(console, &mode) || !(mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING))
    return WriteConsoleW(console, text, length, written, reserved);
  WCHAR *lines = HeapAlloc(GetProcessHeap(), 0, (2 * (SIZE_T)length + 1) * sizeof(WCHAR));
  char *bytes = HeapAlloc(GetProcessHeap(), 0, 6 * (SIZE_T)length + 4);
  int count = 0;
  AcquireSRWLockExclusive(&lock);
  if (half) lines[count++] = half;
  for (DWORD i = 0; i < length; i++) {
    if (text[i] == '\n' && !(mode & DISABLE_NEWLINE_AUTO_RETURN)) lines[count++] = '\r';
    lines[count++] = text[i];
  }
  half = count > 0 && IS_HIGH_SURROGATE(lines[count - 1]) ? lines[--count] : 0;
  BOOL done = write_all(bytes, WideCharToMultiByte(CP_UTF8, 0, lines, count, bytes, 6 * length + 4, NULL, NULL));
  ReleaseSRWLockExclusive(&lock);
  HeapFree(GetProcessHeap(), 0, bytes);
  HeapFree(GetProcessHeap(), 0, lines);
  if (written) *written = length;
  return done;
}

// escape_of returns the escape sequence of a key that makes no character, and NULL if it has none.
static const char *escape_of(WORD key) {
  static const struct { WORD key; const char *escape; } keys[] = {
      {VK_ESCAPE, "\x1b"}, {VK_UP, "\x1b[A"}, {VK_DOWN, "\x1b[B"}, {VK_RIGHT, "\x1b[C"}, {VK_LEFT, "\x1b[D"},
      {VK_HOME, "\x1b[H"}, {VK_END, "\x1b[F"}, {VK_INSERT, "\x1b[2~"}, {VK_DELETE, "\x1b[3~"},
      {VK_PRIOR, "\x1b[5~"}, {VK_NEXT, "\x1b[6~"}};
  for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
    if (keys[i].key == key) return keys[i].escape;
  return NULL;
}

// key_of is the pressing of the key of a character.
static INPUT_RECORD key_of(WCHAR character) {
  INPUT_RECORD key;
  memset(&key, 0, sizeof key);
  key.EventType = KEY_EVENT;
  key.Event.KeyEvent.bKeyDown = TRUE;
  key.Event.KeyEvent.wRepeatCount = 1;
  key.Event.KeyEvent.uChar.UnicodeChar = character;
  return key;
}

// translate_keys puts escape sequences in place of the keys that wait for the program, which Wine does not do in the
// mode ENABLE_VIRTUAL_TERMINAL_INPUT.
static void translate_keys(HANDLE console) {
  enum { most = 64 };
  INPUT_RECORD waiting[most], translated[4 * most];
  DWORD mode, count, n = 0;
  BOOL found = FALSE;
  if (!GetConsoleMode(console, &mode) || !(mode & ENABLE_VIRTUAL_TERMINAL_INPUT)) return;
  if (!PeekConsoleInputW(console, waiting, most, &count)) return;
  for (DWORD i = 0; i < count; i++) {
    KEY_EVENT_RECORD *key = &waiting[i].Event.KeyEvent;
    BOOL is_key = waiting[i].EventType == KEY_EVENT && !key->uChar.UnicodeChar;
    const char *escape = is_key ? escape_of(key->wVirtualKeyCode) : NULL;
    if (!escape) {
      translated[n++] = waiting[i];
      continue;
    }
    found = TRUE;
    for (const char *c = key->bKeyDown ? escape : ""; *c; c++) translated[n++] = key_of(*c);
  }
  if (found && ReadConsoleInputW(console, waiting, count, &count)) WriteConsoleInputW(console, translated, n, &count);
}

static BOOL WINAPI peek_console_input(HANDLE console, INPUT_RECORD *records, DWORD length, DWORD *count) {
  translate_keys(console);
  return PeekConsoleInputW(console, records, length, count);
}

static PHANDLER_ROUTINE handler; // of the program

// await_interrupts does what the console host of Windows does at Ctrl-C: the program gets an event, or a key if it has
// switched ENABLE_PROCESSED_INPUT off. Wine's console host ends if Ctrl-C is typed into a pseudo console.
static DWORD WINAPI await_interrupts(void *interrupts) {
  while (WaitForSingleObject(interrupts, INFINITE) == WAIT_OBJECT_0) {
    INPUT_RECORD key = key_of(3);
    DWORD mode, count;
    if (GetConsoleMode(keyboard, &mode) && !(mode & ENABLE_PROCESSED_INPUT))
      WriteConsoleInputW(keyboard, &key, 1, &count);
    else if (!handler || !handler(CTRL_C_EVENT))
      ExitProcess(0xC000013A); // STATUS_CONTROL_C_EXIT
  }
  return 0;
}

static BOOL WINAPI set_console_ctrl_handler(PHANDLER_ROUTINE routine, BOOL adds) {
  if (!routine || !adds) return SetConsoleCtrlHandler(routine, adds);
  handler = routine;
  return SetConsoleCtrlHandler(routine, TRUE);
}

static FARPROC WINAPI get_proc_address(HMODULE module, const char *name);

// The functions that a program of a test's terminal gets in place of others.
static const struct { const char *name; void *function; } replaced[] = {
    {"GetProcAddress", get_proc_address}, {"WriteConsoleW", write_console},
    {"PeekConsoleInputW", peek_console_input}, {"SetConsoleCtrlHandler", set_console_ctrl_handler}};
enum { replacements = sizeof(replaced) / sizeof(*replaced) };

static FARPROC WINAPI get_proc_address(HMODULE module, const char *name) {
  for (int i = 0; (ULONG_PTR)name > 0xFFFF && i < replacements; i++)
    if (!strcmp(name, replaced[i].name)) return (FARPROC)replaced[i].function;
  return GetProcAddress(module, name);
}

// replace_functions changes what the program imports. Go's runtime imports a few functions, and asks GetProcAddress for
// the others.
static void replace_functions(void) {
  BYTE *base = (BYTE *)GetModuleHandleA(NULL);
  IMAGE_NT_HEADERS *headers = (IMAGE_NT_HEADERS *)(base + ((IMAGE_DOS_HEADER *)base)->e_lfanew);
  IMAGE_DATA_DIRECTORY imports = headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
  if (!imports.Size) return;
  for (IMAGE_IMPORT_DESCRIPTOR *d = (void *)(base + imports.VirtualAddress); d->Name; d++) {
    IMAGE_THUNK_DATA *names = (void *)(base + d->OriginalFirstThunk);
    for (FARPROC *slot = (void *)(base + d->FirstThunk); *slot; slot++, names++)
      for (int i = 0; i < replacements; i++) {
        IMAGE_IMPORT_BY_NAME *import = (void *)(base + names->u1.AddressOfData);
        DWORD protection;
        if (strcmp((char *)import->Name, replaced[i].name)) continue;
        VirtualProtect(slot, sizeof(*slot), PAGE_READWRITE, &protection);
        *slot = (FARPROC)replaced[i].function;
        VirtualProtect(slot, sizeof(*slot), protection, &protection);
      }
  }
}

static void attach_terminal(void) {
  char name[MAX_PATH];
  open_console(STD_INPUT_HANDLE, "CONIN$");
  open_console(STD_OUTPUT_HANDLE, "CONOUT$");
  open_console(STD_ERROR_HANDLE, "CONOUT$");
  DWORD length = GetEnvironmentVariableA(terminal_variable, name, sizeof(name));
  if (length == 0 || length >= sizeof(name)) return;
  for (int attempts = 0; attempts < 1000; attempts++) {
    HANDLE pipe = CreateFileA(name, GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    if (pipe != INVALID_HANDLE_VALUE) {
      terminal = pipe;
      break;
    }
    // Another program may have just taken the instance of the pipe.
    if (GetLastError() != ERROR_PIPE_BUSY && GetLastError() != ERROR_FILE_NOT_FOUND) break;
    Sleep(1);
  }
  if (!terminal) return;
  keyboard = CreateFileA(
      "CONIN$", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
  const char *last = strrchr(name, '\\'); // the event has the name that the pipe has behind \\.\pipe
  HANDLE event = last ? OpenEventA(SYNCHRONIZE, FALSE, last + 1) : NULL;
  if (event) CreateThread(NULL, 0, await_interrupts, event, 0, NULL);
  replace_functions();
}

// replace_call lets a function of ntdll.dll begin with a jump to another one, and returns a copy of what was there. No
// other thread can be in the function: Go's runtime loads this library before it starts one.
static void *replace_call(const char *name, void *function) {
  BYTE *stub = (BYTE *)GetProcAddress(GetModuleHandleA("ntdll.dll"), name);
  if (stub == NULL || memcmp(stub, stub_beginning, sizeof stub_beginning) != 0) return NULL;
  BYTE *copy = VirtualAlloc(NULL, STUB_SIZE, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
  DWORD protection;
  if (copy == NULL || !VirtualProtect(stub, STUB_SIZE, PAGE_EXECUTE_READWRITE, &protection)) return NULL;
  memcpy(copy, stub, STUB_SIZE);
  BYTE jump[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; // mov rax, ADDRESS; jmp rax
  memcpy(jump + 2, &function, sizeof function);
  memcpy(stub, jump, sizeof jump);
  VirtualProtect(stub, STUB_SIZE, protection, &protection);
  return copy;
}

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved) {
  if (reason != DLL_PROCESS_ATTACH) return TRUE;
  attach_terminal();
  set_information = (set_information_file)replace_call("NtSetInformationFile", answer_as_windows);
  create_user_process = (create_process)replace_call("NtCreateUserProcess", create_again);
  return set_information != NULL && create_user_process != NULL;
}
