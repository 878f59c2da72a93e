/** Addresses at which clouds give out a machine's credentials, and others that only the machine itself can reach. */
import { lookup as lookupAddress, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const RESTRICTED = new BlockList();
// Link-local (RFC 3927, RFC 4291); AWS, Azure, Google and others serve metadata at 169.254.169.254.
RESTRICTED.addSubnet('169.254.0.0', 16);
RESTRICTED.addSubnet('fe80::', 10, 'ipv6');
// Metadata of AWS over IPv6, of Alibaba and of Oracle.
RESTRICTED.addAddress('fd00:ec2::254', 'ipv6');
RESTRICTED.addAddress('100.100.100.200');
RESTRICTED.addAddress('192.0.0.192');

/** @param host as in a URL: IPv6 may be in brackets. False for a name: its address is checked when connecting. */
export function isRestrictedAddress(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const version = isIP(address);
  return version !== 0 && RESTRICTED.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** Like `dns.lookup`; does not resolve a name to a restricted address. */
export const lookupUnrestricted: LookupFunction = (hostname, options, callback) => {
  lookupAddress(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const found = addresses.find(({ address }) => !isRestrictedAddress(address));
    if (!found || addresses.some(({ address }) => isRestrictedAddress(address)))
      return callback(new Error(`${hostname} is the name of a link-local or metadata address.`), '', 0);
    if (options.all) return callback(null, addresses satisfies LookupAddress[]);
    callback(null, found.address, found.family);
  });
};
