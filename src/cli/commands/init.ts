import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { CommandError } from '../command-error.ts';
import { EXIT } from '../exit-codes.ts';
import type { CommonFlags } from '../flags.ts';
import { addCommonFlags } from '../flags.ts';
import type { RunCommand } from '../run-command.ts';
import { commandName } from '../command-name.ts';
import { INIT_FILES } from '../init-files.ts';

export function registerInit(program: Command, run: RunCommand): void {
  addCommonFlags(program.command('init'))
    .description('writes a first configuration, a skill and a pipeline into a folder')
    .argument('[folder]', 'the folder; this one unless said', '.')
    .action(
      run(async (output, folder: string, _flags: CommonFlags) => {
        const directory = resolve(folder);
        await mkdir(directory, { recursive: true });
        for (const [name, content] of Object.entries(INIT_FILES)) await writeNew(join(directory, name), content);

        output.json({ directory, files: Object.keys(INIT_FILES) });
        const { bold, dim } = output.colors;
        const place = relative(process.cwd(), directory);
        const longhaul = commandName();
        output.say(`Written to ${place === '' ? 'this folder' : place}: ${Object.keys(INIT_FILES).join(', ')}`);
        output.say();
        output.say('Next, in one terminal:');
        output.say(bold(`  ${place === '' ? '' : `cd ${place} && `}${longhaul} up`));
        output.say('and in another, in the same folder:');
        output.say(
          bold(`  ${longhaul} submit --skill echo 'Hello there' --wait`) + dim('    one skill: text in, text out'),
        );
        output.say(
          bold(`  ${longhaul} submit --skill brief 'Why tides?' --watch`) +
            dim('     a pipeline that asks you something'),
        );
        return EXIT.ok;
      }),
    );
}

/** Never over something that is there. */
async function writeNew(path: string, content: string): Promise<void> {
  try {
    await writeFile(path, content, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CommandError(EXIT.failed, 'exists', `${path} is there already, and init writes over nothing.`, {
      next: `Choose another folder: ${commandName()} init <folder>`,
      cause: error,
    });
  }
}
