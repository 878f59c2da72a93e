/** What the exit codes of `omoide` mean. Part of the public interface, as is docs/cli.md. */
export const EXIT = {
  ok: 0,
  /** Something failed; the message begins with its error code. */
  failed: 1,
  /** The command line was not understood. */
  usage: 2,
  /** Some of the input could not be read; the rest went in. */
  incomplete: 3,
  /** Stopped by Ctrl-C; what had been acknowledged is kept. */
  interrupted: 130,
} as const;
