/** Addresses at which clouds give out a machine's credentials, and others that only the machine itself can reach. */
import { lookup as lookupAddress, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const RESTRICTED = new BlockList();
// Link-local (RFC 3927, RFC 4291); AWS, Azure, Google and others serve metadata at 169.254.169.254.
RESTRICTED.addSubnet('169.254.0.0', 16);
RESTRICTED.addSubnet('fe80::', 10, 'ipv6');
// The same in the forms of IPv6 that contain an IPv4 address (RFC 4291, RFC 6052); BlockList knows ::ffff:0:0/96.
RESTRICTED.addSubnet('::a9fe:0', 112, 'ipv6');
RESTRICTED.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
// Metadata of AWS, Google and Scaleway over IPv6, of Alibaba, Oracle and Azure.
RESTRICTED.addAddress('fd00:ec2::254', 'ipv6');
RESTRICTED.addAddress('fd20:ce::254', 'ipv6');
RESTRICTED.addAddress('fd00:42::42', 'ipv6');
RESTRICTED.addAddress('168.63.129.16');
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
