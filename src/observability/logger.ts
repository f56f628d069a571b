import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';

export type Logger = PinoLogger;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** One JSON object a line; standard error unless said, as standard output belongs to the command's answer. */
export function createLogger(
  options: { level?: LogLevel; name?: string; destination?: DestinationStream } = {},
): Logger {
  return pino(
    {
      name: options.name ?? 'longhaul',
      level: options.level ?? 'info',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.errWithCause },
      redact: {
        paths: ['token', '*.token', 'authorization', '*.authorization', 'headers.cookie', '*["x-api-key"]'],
        censor: '[redacted]',
      },
    },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  );
}
