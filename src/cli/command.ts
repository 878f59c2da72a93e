import type { Command } from 'commander';

/** Told by a command that ends otherwise than well without being an error. */
export type SetExitCode = (code: number) => void;

/** Adds one command to the program. */
export type AddCommand = (program: Command, setExitCode: SetExitCode) => void;
