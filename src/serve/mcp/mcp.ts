/** Serves the memory to agents: the Model Context Protocol, over HTTP and over standard input and output. */
export { answerMcp } from './http.ts';
export { serveMcpOverStdio } from './stdio.ts';
