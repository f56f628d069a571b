/** What the user has to type to get this command: `npx longhaul`, unless it is on the PATH by itself. */
export function commandName(): string {
  const isRunByNpm = process.env['npm_command'] !== undefined;
  return isRunByNpm ? 'npx longhaul' : 'longhaul';
}
