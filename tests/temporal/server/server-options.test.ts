import { describe, expect, it } from '@jest/globals';
import { portsOfServer, serverArguments } from '../../../src/temporal/server/server-options.ts';

const ports = { port: 7233, uiPort: 8233 };

describe('portsOfServer', () => {
  it('reads the ports that serverArguments wrote', () => {
    const commandLine = ['/cache/temporal', ...serverArguments('/data dir/temporal.db', ports, 'full'), ''];
    expect(portsOfServer(commandLine, '/data dir/temporal.db')).toEqual(ports);
  });

  it.each([
    ['a server on another file', serverArguments('/other/temporal.db', ports, 'full')],
    ['another program that has the path as an argument', ['vi', '--db-filename', '/data/temporal.db']],
    ['a server without ports', ['server', 'start-dev', '--db-filename', '/data/temporal.db']],
    ['nothing', []],
  ])('does not take %s for ours', (_title, commandLine) => {
    expect(portsOfServer(commandLine, '/data/temporal.db')).toBeUndefined();
  });
});
