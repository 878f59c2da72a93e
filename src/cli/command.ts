import type { Command } from 'commander';

/** Called by a command that does not succeed but has no error. */
export type SetExitCode = (code: number) => void;

/** Adds one command to the program. */
export type AddCommand = (program: Command, setExitCode: SetExitCode) => void;
