import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { checkServerIdentity, type ConnectionOptions, type PeerCertificate } from 'node:tls';
import { MemoryError, unreadable } from '../../model/model.ts';

/** False: not encrypted. `require`: encrypted, whoever answers. Otherwise the server's certificate is verified. */
export type TlsSetting = false | 'require' | ConnectionOptions;

interface TlsRequest {
  /** Undefined: verified unless every host is this machine. */
  readonly mode: string | null | undefined;
  /** A file of certificates of authorities, instead of those that Node trusts. */
  readonly rootCert: string | null | undefined;
  /** Without ports. */
  readonly hosts: readonly string[];
  readonly isLocal: boolean;
}

/** @throws MemoryError INVALID_INPUT, FILE_UNREADABLE */
export function readTls({ mode, rootCert, hosts, isLocal }: TlsRequest): TlsSetting {
  const chosen = mode ?? (isLocal ? 'disable' : 'verify-full');
  if (chosen === 'disable') return false;
  if (chosen === 'require') return 'require';
  if (chosen !== 'verify-full') {
    throw new MemoryError(
      'INVALID_INPUT',
      `sslmode in the URL of the store must be disable, require or verify-full, not ${chosen}.`,
    );
  }
  return {
    ...(rootCert && { ca: readAuthorities(rootCert) }),
    checkServerIdentity: (name, certificate) => checkIdentity(name, certificate, hosts),
  };
}

/** postgres.js gives TLS no name for a host that is an IP address: then the certificate must be of one of those. */
function checkIdentity(
  name: string,
  certificate: PeerCertificate,
  hosts: readonly string[],
): Error | undefined {
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  if (hosts.includes(name) || addresses.length === 0) return checkServerIdentity(name, certificate);
  const refusals = addresses.map((address) => checkServerIdentity(address, certificate));
  return refusals.includes(undefined) ? undefined : refusals[0];
}

function readAuthorities(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
}
