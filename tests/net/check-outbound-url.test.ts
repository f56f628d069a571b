import { describe, expect, it } from '@jest/globals';
import { checkOutboundUrl } from '../../src/net/check-outbound-url.ts';
import { createOutboundPolicy, outboundEntryFault } from '../../src/net/outbound-policy.ts';

const PRIVATE = 'must not lead to a private, local or reserved address';
const NAME = 'must have a public host name';
const HTTPS = 'must be an https URL';

function faultOf(url: string, allowed: readonly string[] = []): string | undefined {
  const checked = checkOutboundUrl(url, createOutboundPolicy(allowed));
  return 'fault' in checked ? checked.fault : undefined;
}

describe('with nothing allowed', () => {
  it.each([
    'https://example.com/hook',
    'https://EXAMPLE.com.:8443/x?y=1',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
  ])('takes %s', (url) => {
    expect(faultOf(url)).toBeUndefined();
  });

  it.each([
    ['https://127.0.0.1/', PRIVATE],
    ['https://127.0.0.1./', PRIVATE],
    ['https://2130706433/', PRIVATE],
    ['https://0x7f.1/', PRIVATE],
    ['https://0177.0.0.1/', PRIVATE],
    ['https://127.1/', PRIVATE],
    ['https://0/', PRIVATE],
    ['https://１２７.0.0.1/', PRIVATE], // full-width digits
    ['https://169.254.169.254/latest/meta-data', PRIVATE],
    ['https://10.0.0.1/', PRIVATE],
    ['https://172.31.255.255/', PRIVATE],
    ['https://192.168.1.1/', PRIVATE],
    ['https://100.64.0.1/', PRIVATE],
    ['https://198.18.0.1/', PRIVATE],
    ['https://255.255.255.255/', PRIVATE],
    ['https://224.0.0.1/', PRIVATE],
    ['https://[::1]/', PRIVATE],
    ['https://[::]/', PRIVATE],
    ['https://[::ffff:10.0.0.1]/', PRIVATE],
    ['https://[::ffff:0:10.0.0.1]/', PRIVATE],
    ['https://[::10.0.0.1]/', PRIVATE],
    ['https://[64:ff9b::10.0.0.1]/', PRIVATE], // NAT64
    ['https://[64:ff9b:1::10.0.0.1]/', PRIVATE], // local NAT64
    ['https://[2002:a00:1::]/', PRIVATE], // 6to4
    ['https://[2001:0:a00:1::]/', PRIVATE], // Teredo
    ['https://[fe80::1]/', PRIVATE],
    ['https://[fd00::1]/', PRIVATE],
    ['https://[fec0::1]/', PRIVATE],
    ['https://[fe80::1%25eth0]/', 'must be an absolute URL'],
    ['https://localhost/', NAME],
    ['https://LOCALHOST./', NAME],
    ['https://a.localhost/', NAME],
    ['https://printer.local/', NAME],
    ['https://metadata.google.internal/', NAME],
    ['https://intranet/', NAME],
    ['http://example.com/', HTTPS],
    ['file:///etc/passwd', HTTPS],
    ['gopher://example.com/', HTTPS],
    ['javascript:alert(1)', HTTPS],
    ['https://user:pass@example.com/', 'must hold no user name and no password'],
    ['https://user@example.com/', 'must hold no user name and no password'],
    ['/hook', 'must be an absolute URL'],
    ['', 'must be an absolute URL'],
    [`https://example.com/${'x'.repeat(3000)}`, 'must not be longer than 2048 characters'],
  ])('refuses %s', (url, fault) => {
    expect(faultOf(url)).toBe(fault);
  });
});

describe("an operator's list", () => {
  it.each([
    ['127.0.0.1:9000', 'http://127.0.0.1:9000/hook'],
    ['127.0.0.1', 'http://127.0.0.1:1234/'],
    ['localhost:9000', 'http://LOCALHOST.:9000/'],
    ['hooks.internal', 'http://hooks.internal/'],
    ['[::1]:9000', 'http://[0:0:0:0:0:0:0:1]:9000/'],
    ['10.0.0.0/8', 'https://10.1.2.3/'],
    ['10.0.0.0/8', 'https://[::ffff:10.1.2.3]/'],
    ['fd00::/8', 'https://[fd00::1]/'],
  ])('%s lets %s pass', (entry, url) => {
    expect(outboundEntryFault(entry)).toBeUndefined();
    expect(faultOf(url)).toEqual(expect.any(String));
    expect(faultOf(url, [entry])).toBeUndefined();
  });

  it.each([
    ['127.0.0.1:9000', 'http://127.0.0.1:9001/'],
    ['localhost:9000', 'http://localhost/'],
    ['10.0.0.0/8', 'https://192.168.0.1/'],
    ['hooks.internal', 'https://evil.hooks.internal/'],
    ['127.0.0.1:9000', 'http://u:p@127.0.0.1:9000/'],
  ])('%s makes no difference to %s', (entry, url) => {
    expect(faultOf(url, [entry])).toBe(faultOf(url));
  });

  it('of networks lets no plain HTTP pass', () => {
    expect(faultOf('http://10.0.0.1/', ['10.0.0.0/8'])).toBe(HTTPS);
  });

  it.each(['', '*', 'https://example.com', 'a b', '10.0.0.0/99', 'host:port', '[nothing]:80'])(
    'refuses %p',
    (entry) => {
      expect(outboundEntryFault(entry)).toMatch(/^must be a host/);
    },
  );
});
