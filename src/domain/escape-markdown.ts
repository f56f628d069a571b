/** Text that Temporal's UI, which renders Markdown, shows as it is: no link, image or heading comes from what somebody wrote. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>!#|~&]/g, '\\$&');
}
