/** Checks of every request before anything else, and headers of every answer. */
import { isIPv4 } from 'node:net';
import { Problem } from './problem.ts';

export interface GuardOptions {
  /** The address where the server listens. */
  readonly host: string;
  /** Origins of pages on other hosts that may call the server, in the form that browsers send. */
  readonly corsOrigins: readonly string[];
}

/**
 * Checks the origin of a request and returns headers for the answer.
 * @throws Problem HOST_NOT_ALLOWED, ORIGIN_NOT_ALLOWED
 */
export function guardHeaders(request: Request, url: URL, options: GuardOptions): Record<string, string> {
  checkHost(url, options);
  return corsHeaders(request, url, options);
}

/**
 * Prevents DNS rebinding: a web page could have its own name resolve to 127.0.0.1 and would then have the same
 * origin as this server. So a server that only this machine can reach accepts only the names of this machine.
 * @throws Problem HOST_NOT_ALLOWED
 */
function checkHost(url: URL, { host }: GuardOptions): void {
  if (
    !isLoopback(host) ||
    isLoopback(withoutBrackets(url.hostname)) ||
    withoutBrackets(url.hostname) === host
  )
    return;
  throw new Problem('HOST_NOT_ALLOWED');
}

function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  return host === '::1' || host === 'localhost' || host.endsWith('.localhost');
}

/** `[::1]` → `::1` */
function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/**
 * The headers that allow the requesting page to read the answer; none without a page, or for this server's own pages.
 * @throws Problem ORIGIN_NOT_ALLOWED
 */
function corsHeaders(request: Request, url: URL, { corsOrigins }: GuardOptions): Record<string, string> {
  const origin = request.headers.get('origin');
  if (origin === null || isSameHost(origin, url)) return {};
  if (!corsOrigins.includes(origin)) throw new Problem('ORIGIN_NOT_ALLOWED', undefined, { headers: VARY });
  return {
    ...VARY,
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'ETag, Location, Retry-After, X-Request-Id, Content-Disposition',
    'cross-origin-resource-policy': 'cross-origin',
  };
}

const VARY = { vary: 'Origin' };

/** The scheme is not compared, since a proxy may handle TLS. */
function isSameHost(origin: string, url: URL): boolean {
  return URL.canParse(origin) && new URL(origin).host === url.host;
}

/** The answer to a preflight request. */
export function preflightHeaders(request: Request): Record<string, string> {
  const headers = request.headers.get('access-control-request-headers');
  return {
    'access-control-allow-methods': 'GET, HEAD, POST, PATCH, PUT, DELETE',
    ...(headers !== null && { 'access-control-allow-headers': headers }),
    'access-control-max-age': '600',
  };
}

export function isPreflight(request: Request): boolean {
  return (
    request.method === 'OPTIONS' &&
    request.headers.has('origin') &&
    request.headers.has('access-control-request-method')
  );
}

/** Headers of every answer that does not set its own. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};
