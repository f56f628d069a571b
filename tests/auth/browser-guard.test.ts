import { describe, expect, it } from '@jest/globals';
import { isFromHere } from '../../src/auth/browser-guard.ts';

describe('isFromHere', () => {
  it.each([
    ['127.0.0.1:4001', undefined, '127.0.0.1', true],
    ['LOCALHOST:4001', undefined, '127.0.0.1', true],
    ['localhost', undefined, 'localhost', true],
    ['[::1]:4001', undefined, '::1', true],
    ['127.0.0.1:4001', 'http://127.0.0.1:4001', '127.0.0.1', true],
    ['127.0.0.1:4001', 'http://localhost:4001', '127.0.0.1', false],
    ['localhost.evil.example', undefined, '127.0.0.1', false],
    ['127.0.0.1.evil.example', undefined, '127.0.0.1', false],
    ['10.0.0.7:4001', undefined, '127.0.0.1', false],
    [undefined, undefined, '127.0.0.1', false],
    ['ops.example.com', undefined, '0.0.0.0', true],
    ['ops.example.com', 'https://ops.example.com', '0.0.0.0', true],
    ['ops.example.com', 'https://evil.example', '0.0.0.0', false],
  ])('Host %s with Origin %s, listening on %s: %s', (host, origin, boundHost, expected) => {
    expect(isFromHere({ host, origin }, boundHost)).toBe(expected);
  });
});
