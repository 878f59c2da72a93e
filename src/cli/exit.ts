/** The exit codes of `omoide`. They are part of the public interface and described in docs/cli.md. */
export const EXIT = {
  ok: 0,
  /** Something failed; the message begins with its error code. */
  failed: 1,
  /** The command line was not understood. */
  usage: 2,
  /** Some of the input could not be read; the rest was added. */
  incomplete: 3,
  /** Stopped by Ctrl-C; what had been acknowledged is kept. */
  interrupted: 130,
} as const;
