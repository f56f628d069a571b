import type { SendConfiguration } from '../contract/message.ts';
import { Failure } from '../domain/failure.ts';

/** A2A 1.0 §3.3.4: a webhook that would never be called must not be taken. */
export function refusePushConfig({ taskPushNotificationConfig }: SendConfiguration): void {
  if (taskPushNotificationConfig !== undefined) throw pushNotSupported();
}

export function pushNotSupported(): Failure {
  return new Failure('push-not-supported', 'Push notifications are not supported');
}
