/** Starts a server as a client does, and asks for its name and capabilities. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Started {
  readonly name: string;
  readonly version: string;
  readonly tools: number;
}

export interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
}

/** The protocol revision that all current clients support. */
const PROTOCOL = '2025-06-18';
/** Time for the server to exit after its input was closed, in milliseconds. */
const EXIT_WAIT_MS = 3_000;

/** @throws Error with the reason when it does not work */
export async function probe(start: Start, limitMs: number): Promise<Started> {
  const child = spawn(start.command, start.args, {
    cwd: start.folder,
    env: start.environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = Promise.withResolvers<string>();
  let complaint = '';
  child.stderr.on(
    'data',
    (part: Buffer) => (complaint = (complaint + part.toString()).slice(-MAX_STDERR_LENGTH)),
  );
  child.stdin.on('error', () => {});
  child.on('error', (error) => ended.resolve(`it cannot be started: ${error.message}`));
  child.on('close', (code) => ended.resolve(`it ended with exit code ${code} before it answered.`));
  const deadline = setTimeout(() => ended.resolve(`it did not answer within ${limitMs / 1_000} s.`), limitMs);
  try {
    const failed = ended.promise.then((reason) => Promise.reject(new Error(withStderr(reason, complaint))));
    return await Promise.race([askServer(child), failed]);
  } finally {
    clearTimeout(deadline);
    await leave(child);
  }
}

const MAX_STDERR_LENGTH = 500;

function withStderr(reason: string, complaint: string): string {
  const [last = ''] = complaint.trim().split('\n').slice(-1);
  return last === '' ? reason : `${reason} Its last message: ${last}`;
}

interface Answer {
  readonly id?: number;
  readonly result?: { serverInfo?: { name?: string; version?: string }; tools?: unknown[] };
  readonly error?: { message?: string };
}

async function askServer(child: ChildProcess): Promise<Started> {
  const send = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'omoide-doctor', version: '1' };
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const answerTo = async (id: number): Promise<NonNullable<Answer['result']>> => {
    for (;;) {
      const { value, done } = await lines.next();
      // The server has exited; that is reported elsewhere.
      if (done) return new Promise(() => {});
      const answer = readAnswer(value);
      if (answer.id !== id) continue;
      if (answer.result) return answer.result;
      throw new Error(`it answered with an error: ${answer.error?.message ?? 'none it names'}`);
    }
  };
  send({ id: 1, method: 'initialize', params: { protocolVersion: PROTOCOL, capabilities: {}, clientInfo } });
  const { serverInfo } = await answerTo(1);
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list' });
  const { tools } = await answerTo(2);
  return { name: serverInfo?.name ?? '', version: serverInfo?.version ?? '', tools: tools?.length ?? 0 };
}

/** @throws Error for a line that is not part of the protocol */
function readAnswer(line: string): Answer {
  try {
    return JSON.parse(line) as Answer;
  } catch {
    throw new Error(
      `it wrote a line to standard output that is not part of the protocol: ${line.slice(0, 80)}`,
    );
  }
}

async function leave(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = new Promise((resolve) => {
    child.once('close', resolve);
  });
  child.stdin?.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), EXIT_WAIT_MS);
  await gone;
  clearTimeout(timer);
}
