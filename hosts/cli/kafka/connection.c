/* SPDX-License-Identifier: Apache-2.0 */
#include "connection_private.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

#include "cli.h"
#include "duration.h"

enum { SLICE_MS = 50, SLACK_MS = 2000, SCRAM_FIXED = 0x020601ff };

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Called from threads of the client. */
static void on_log(const rd_kafka_t *client, int level, const char *facility, const char *text)
{
    cli_connection *it = client == NULL ? NULL : rd_kafka_opaque(client);
    /* A connection that is closed from the other side is no error to the client, and yet why nothing is answered. */
    int least = strcmp(facility, "FAIL") == 0 ? LOG_INFO : LOG_ERR;
    if (it == NULL || level > least) {
        return;
    }
    /* "[thrd:NAME]: " comes first, and says nothing to a person. */
    const char *behind = strncmp(text, "[thrd:", 6) == 0 ? strstr(text, "]: ") : NULL;
    pthread_mutex_lock(&it->lock);
    snprintf(it->trouble, sizeof it->trouble, "%s", behind == NULL ? text : behind + 3);
    pthread_mutex_unlock(&it->lock);
}

/* Called from rd_kafka_poll, so in the thread of the caller. What it says was logged as well. */
static void on_error(rd_kafka_t *client, int code, const char *reason, void *context)
{
    (void)client;
    (void)reason;
    cli_connection *it = context;
    int hopeless = code == RD_KAFKA_RESP_ERR__AUTHENTICATION || code == RD_KAFKA_RESP_ERR__SSL;
    it->hopeless = it->hopeless || (hopeless && !it->answered);
}

/* What the network or the login said last, in `out`. */
static const char *trouble(cli_connection *it, char out[CLI_CONNECTION_TEXT])
{
    pthread_mutex_lock(&it->lock);
    memcpy(out, it->trouble, CLI_CONNECTION_TEXT);
    pthread_mutex_unlock(&it->lock);
    return out;
}

int cli_connection_fail(cli_connection *it, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(it->fault, sizeof it->fault, format, arguments);
    va_end(arguments);
    return -1;
}

/* No answer came in time. Where nobody listens at the address that the user gave, that is all there is to say. */
static int fail_unanswered(cli_connection *it, const char *what)
{
    char length[CLI_DURATION_ROOM];
    char why[CLI_CONNECTION_TEXT];
    cli_duration_write(it->timeout_ms, length, sizeof length);
    const char *behind = strstr(trouble(it, why), "/bootstrap: Connect to ");
    if (behind != NULL && strstr(behind, "Connection refused") != NULL) {
        return cli_connection_fail(it, "no broker at %.*s: connection refused (tried for %s)", (int)(behind - why), why,
                                   length);
    }
    return cli_connection_fail(it, "%s: no answer within %s%s%s", what, length, why[0] == '\0' ? "" : ": ", why);
}

int cli_connection_refused(cli_connection *it, const char *what, rd_kafka_resp_err_t code, const char *text)
{
    switch (code) {
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__DESTROY:
        return fail_unanswered(it, what);
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
        return cli_connection_fail(it,
                                   "%s: not allowed; needed are Describe on the application's own group, and Read and "
                                   "Delete on the groups that begin with its id and .segue. (a prefixed ACL)",
                                   what);
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
        return cli_connection_fail(it, "%s: not allowed; Read is needed on the application's source topics", what);
    default:
        return cli_connection_fail(it, "%s: %s", what, text == NULL ? rd_kafka_err2str(code) : text);
    }
}

/* A client with a copy of the configuration; NULL with the reason in `text`. */
static rd_kafka_t *make_client(const rd_kafka_conf_t *conf, char text[CLI_CONNECTION_TEXT])
{
    rd_kafka_conf_t *copy = rd_kafka_conf_dup(conf);
    rd_kafka_t *client = rd_kafka_new(RD_KAFKA_PRODUCER, copy, text, CLI_CONNECTION_TEXT);
    if (client == NULL) {
        rd_kafka_conf_destroy(copy);
    }
    return client;
}

int cli_call_begin(cli_connection *it, rd_kafka_admin_op_t operation, cli_call *call)
{
    char text[CLI_CONNECTION_TEXT];
    *call = (cli_call){0};
    it->client = it->client == NULL ? make_client(it->conf, text) : it->client;
    if (it->client == NULL) {
        return cli_connection_fail(it, "a new client: %s", text);
    }
    *call = (cli_call){rd_kafka_queue_new(it->client), rd_kafka_AdminOptions_new(it->client, operation),
                       clock_ms() + it->timeout_ms + SLACK_MS};
    if (rd_kafka_AdminOptions_set_request_timeout(call->options, (int)it->timeout_ms, text, sizeof text) !=
        RD_KAFKA_RESP_ERR_NO_ERROR) {
        return cli_connection_fail(it, "the timeout of %" PRId64 " ms: %s", it->timeout_ms, text);
    }
    return 0;
}

/* Older versions repeat their nonce where they answer the broker's, which Kafka 4 refuses as invalid credentials. */
static void fail_hopelessly(cli_connection *it, const char *what)
{
    char why[CLI_CONNECTION_TEXT];
    trouble(it, why);
    if (it->scram && rd_kafka_version() < SCRAM_FIXED) {
        cli_connection_fail(it,
                            "%s: %s; librdkafka %s cannot log in by SCRAM at Kafka 4, right as the password may be; "
                            "2.6.1 can",
                            what, why, rd_kafka_version_str());
    } else {
        cli_connection_fail(it, "%s: %s", what, why);
    }
}

rd_kafka_event_t *cli_call_next(cli_connection *it, const cli_call *call, const char *what)
{
    for (;;) {
        rd_kafka_poll(it->client, 0);
        if (it->hopeless) {
            fail_hopelessly(it, what);
            return NULL;
        }
        rd_kafka_event_t *event = rd_kafka_queue_poll(call->queue, SLICE_MS);
        if (event != NULL && rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR_NO_ERROR) {
            return event;
        }
        if (event != NULL) {
            cli_connection_refused(it, what, rd_kafka_event_error(event), rd_kafka_event_error_string(event));
            rd_kafka_event_destroy(event);
            return NULL;
        }
        if (clock_ms() > call->deadline_ms) {
            cli_connection_refused(it, what, RD_KAFKA_RESP_ERR__TIMED_OUT, NULL);
            return NULL;
        }
    }
}

void cli_call_end(cli_connection *it, cli_call *call, int status)
{
    if (call->queue != NULL) {
        rd_kafka_AdminOptions_destroy(call->options);
        rd_kafka_queue_destroy(call->queue);
    }
    if (status == 0) {
        it->answered = 1;
        pthread_mutex_lock(&it->lock);
        it->trouble[0] = '\0';
        pthread_mutex_unlock(&it->lock);
    } else if (it->client != NULL) {
        /* librdkafka 2.0 aborts when an answer comes to a call that it has given up before. */
        rd_kafka_destroy(it->client);
        it->client = NULL;
    }
}

static int is_scram(const cli_properties *settings)
{
    const char *mechanism = cli_properties_get(settings, "sasl.mechanism");
    return mechanism != NULL && strncmp(mechanism, "SCRAM-", 6) == 0;
}

/* One setting; a fault is said with its source. */
static int configure(rd_kafka_conf_t *conf, const cli_property *row, const char *source)
{
    char text[CLI_CONNECTION_TEXT];
    switch (rd_kafka_conf_set(conf, row->key, row->value, text, sizeof text)) {
    case RD_KAFKA_CONF_OK:
        return CLI_OK;
    case RD_KAFKA_CONF_UNKNOWN:
        cli_complain("warning: %s: line %u: %s means nothing to this client and is ignored", source, row->line,
                     row->key);
        return CLI_OK;
    default:
        cli_complain("%s: line %u: %s", source, row->line, text);
        return CLI_INPUT;
    }
}

static int configure_all(rd_kafka_conf_t *conf, const char *servers, const cli_properties *settings,
                         const char *source)
{
    char text[CLI_CONNECTION_TEXT];
    if (rd_kafka_conf_set(conf, "client.id", "segue", text, sizeof text) != RD_KAFKA_CONF_OK) {
        cli_complain("%s", text);
        return CLI_INPUT;
    }
    for (size_t i = 0; i < settings->count; i++) {
        int status = configure(conf, &settings->rows[i], source);
        if (status != CLI_OK) {
            return status;
        }
    }
    if (rd_kafka_conf_set(conf, "bootstrap.servers", servers, text, sizeof text) != RD_KAFKA_CONF_OK) {
        cli_complain("--bootstrap-server: %s", text);
        return CLI_USAGE;
    }
    return CLI_OK;
}

static int make_first_client(cli_connection *it, const char *source)
{
    char text[CLI_CONNECTION_TEXT];
    it->client = make_client(it->conf, text);
    if (it->client == NULL) {
        cli_complain("%s: %s", source, text);
        return CLI_INPUT;
    }
    return CLI_OK;
}

int cli_connection_open(const char *servers, const cli_properties *settings, const char *source, int64_t timeout_ms,
                        cli_connection **out)
{
    cli_connection *it = calloc(1, sizeof *it);
    *out = NULL;
    if (it == NULL) {
        cli_complain("no memory");
        return CLI_INPUT;
    }
    pthread_mutex_init(&it->lock, NULL);
    it->timeout_ms = timeout_ms;
    it->scram = is_scram(settings);
    it->conf = rd_kafka_conf_new();
    rd_kafka_conf_set_opaque(it->conf, it);
    rd_kafka_conf_set_error_cb(it->conf, on_error);
    if (cli_properties_get(settings, "debug") == NULL) {
        rd_kafka_conf_set_log_cb(it->conf, on_log);
    }
    int status = configure_all(it->conf, servers, settings, source);
    status = status == CLI_OK ? make_first_client(it, source) : status;
    if (status != CLI_OK) {
        cli_connection_close(it);
        return status;
    }
    *out = it;
    return CLI_OK;
}

void cli_connection_close(cli_connection *it)
{
    if (it == NULL) {
        return;
    }
    if (it->client != NULL) {
        rd_kafka_destroy(it->client);
    }
    rd_kafka_conf_destroy(it->conf);
    pthread_mutex_destroy(&it->lock);
    free(it);
}

const char *cli_connection_fault(const cli_connection *it)
{
    return it->fault;
}
