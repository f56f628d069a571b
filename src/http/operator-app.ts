import Koa from 'koa';
import type { A2AErrorView } from '../a2a/to-a2a-error.ts';
import { createOperatorAuthenticator } from '../auth/operator-authenticator.ts';
import { createAnswerQuestion } from '../operator/answer-question.ts';
import { createRetryParked } from '../operator/parked-webhooks.ts';
import { createCheckReadiness } from '../operator/check-readiness.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import { RefusedRequest } from './refused-request.ts';
import type { RequestState } from './request-state.ts';
import { route } from './route.ts';
import { createOperatorInputHandler } from './routes/operator-input.ts';
import { createRetryParkedHandler } from './routes/parked-webhooks.ts';
import { assignRequestId } from './steps/assign-request-id.ts';
import { authenticateOperator } from './steps/authenticate-operator.ts';
import { logAccess } from './steps/log-access.ts';
import { refuseForeignPages } from './steps/refuse-foreign-pages.ts';
import { renderFailures } from './steps/render-failures.ts';

/** What operators and their probes reach. Read top to bottom, this is a request's life. */
export function createOperatorApp({
  tasks,
  deliveries,
  checkStores,
  service,
  http,
  logger,
}: GatewayDependencies): Koa<RequestState> {
  const checkReadiness = createCheckReadiness({ tasks, checkStores });
  const handleInput = createOperatorInputHandler(createAnswerQuestion({ tasks }), service.limits);

  const app = new Koa<RequestState>();
  // Mostly readers that went away; Koa would print it.
  app.on('error', (error: unknown) => logger.debug({ error }, 'the response was cut off'));
  app.use(assignRequestId(logger));
  app.use(logAccess);
  app.use(renderFailures(errorBody));
  app.use(neverStore);
  app.use(
    route('GET', /^\/livez$/, (ctx) => {
      ctx.body = { status: 'ok' };
    }),
  );
  app.use(
    route('GET', /^\/readyz$/, async (ctx) => {
      const readiness = await checkReadiness();
      ctx.status = readiness.status === 'ready' ? 200 : 503;
      ctx.body = readiness;
    }),
  );
  app.use(refuseForeignPages(http.operatorHost));
  app.use(authenticateOperator(createOperatorAuthenticator(http.operatorTokenHash)));
  app.use(
    route('GET', /^\/api\/pending$/, async (ctx) => {
      ctx.body = { questions: await tasks.listOpenQuestions() };
    }),
  );
  app.use(route('POST', /^\/api\/a2a\/input$/, handleInput));
  app.use(
    route('GET', /^\/api\/push\/parked$/, async (ctx) => {
      ctx.body = { webhooks: await deliveries.listParked() };
    }),
  );
  app.use(
    route(
      'POST',
      /^\/api\/push\/parked\/retry$/,
      createRetryParkedHandler(createRetryParked({ deliveries }), service.limits),
    ),
  );
  app.use(() => {
    throw new RefusedRequest(404, 'task-not-found', 'Not found');
  });
  return app;
}

const neverStore: Koa.Middleware<RequestState> = (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  return next();
};

function errorBody({ httpStatus, message }: A2AErrorView): unknown {
  return { success: false, error: httpStatus === 401 ? 'Unauthorized' : message };
}
