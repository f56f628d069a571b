import type { Executor } from 'longhaul';

export const echo: Executor = ({ input }) => {
  const { text } = input as { text: string };
  return { summary: text };
};
