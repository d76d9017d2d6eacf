/* SPDX-License-Identifier: Apache-2.0 */
#include "client_config.h"

#include <stdio.h>
#include <string.h>

#include "jaas.h"

enum { WHY = 256 };

/* One translation on its way. */
typedef struct job {
    const cli_properties *java;
    cli_properties *out;
    char why[WHY];
} job;

/* Translates one row; returns 0, or -1 with job.why. */
typedef int (*translate)(job *it, const cli_property *row);

static int fail(job *it, const char *why)
{
    snprintf(it->why, sizeof it->why, "%s", why);
    return -1;
}

static int set(job *it, const cli_property *row, const char *key, const char *value)
{
    return cli_properties_set(it->out, key, value, row->line) == 0 ? 0 : fail(it, "no memory");
}

static int store_type_is(const job *it, const char *key, const char *type)
{
    const char *given = cli_properties_get(it->java, key);
    return strcasecmp(given == NULL ? "JKS" : given, type) == 0;
}

static int leave_out(job *it, const cli_property *row)
{
    (void)it;
    (void)row;
    return 0;
}

static int request_timeout(job *it, const cli_property *row)
{
    return set(it, row, "socket.timeout.ms", row->value);
}

static int truststore_location(job *it, const cli_property *row)
{
    if (!store_type_is(it, "ssl.truststore.type", "PEM")) {
        return fail(it, "only ssl.truststore.type=PEM can be read here; export the certificates "
                        "(keytool -exportcert -rfc) and name them there or by ssl.ca.location");
    }
    return set(it, row, "ssl.ca.location", row->value);
}

static int truststore_certificates(job *it, const cli_property *row)
{
    return set(it, row, "ssl.ca.pem", row->value);
}

static int keystore_location(job *it, const cli_property *row)
{
    if (store_type_is(it, "ssl.keystore.type", "PKCS12")) {
        return set(it, row, "ssl.keystore.location", row->value);
    }
    if (!store_type_is(it, "ssl.keystore.type", "PEM")) {
        return fail(it, "only ssl.keystore.type=PEM or PKCS12 can be read here; convert it "
                        "(keytool -importkeystore -deststoretype PKCS12)");
    }
    return set(it, row, "ssl.certificate.location", row->value) == 0 ? set(it, row, "ssl.key.location", row->value)
                                                                      : -1;
}

static int keystore_password(job *it, const cli_property *row)
{
    return store_type_is(it, "ssl.keystore.type", "PKCS12") ? set(it, row, "ssl.keystore.password", row->value) : 0;
}

static int keystore_chain(job *it, const cli_property *row)
{
    return set(it, row, "ssl.certificate.pem", row->value);
}

static int keystore_key(job *it, const cli_property *row)
{
    return set(it, row, "ssl.key.pem", row->value);
}

/* Java leaves the host's name unchecked where the value is empty. */
static int endpoint_identification(job *it, const cli_property *row)
{
    return set(it, row, row->key, row->value[0] == '\0' ? "none" : row->value);
}

static int jaas_user(job *it, const cli_property *row, const cli_jaas *login)
{
    const char *name = cli_properties_get(&login->options, "username");
    const char *word = cli_properties_get(&login->options, "password");
    if (name == NULL || word == NULL) {
        return fail(it, "username and password are needed");
    }
    return set(it, row, "sasl.username", name) == 0 ? set(it, row, "sasl.password", word) : -1;
}

static int jaas_kerberos(job *it, const cli_property *row, const cli_jaas *login)
{
    static const char *const names[][2] = {{"principal", "sasl.kerberos.principal"},
                                           {"keyTab", "sasl.kerberos.keytab"},
                                           {"serviceName", "sasl.kerberos.service.name"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = cli_properties_get(&login->options, names[i][0]);
        if (value != NULL && set(it, row, names[i][1], value) != 0) {
            return -1;
        }
    }
    return 0;
}

static int jaas_module(job *it, const cli_property *row, const cli_jaas *login)
{
    if (strcmp(login->module, "ScramLoginModule") == 0 || strcmp(login->module, "PlainLoginModule") == 0) {
        return jaas_user(it, row, login);
    }
    if (strcmp(login->module, "Krb5LoginModule") == 0) {
        return jaas_kerberos(it, row, login);
    }
    snprintf(it->why, sizeof it->why,
             "%s cannot be used here; ScramLoginModule, PlainLoginModule and Krb5LoginModule can", login->module);
    return -1;
}

static int jaas_config(job *it, const cli_property *row)
{
    cli_jaas login;
    int status = cli_jaas_read(row->value, &login, it->why, sizeof it->why);
    status = status == 0 ? jaas_module(it, row, &login) : status;
    cli_jaas_free(&login);
    return status;
}

static const struct {
    const char *key;
    translate translate;
} known[] = {
    {"bootstrap.servers", leave_out},
    {"ssl.truststore.type", leave_out},
    {"ssl.truststore.password", leave_out},
    {"ssl.keystore.type", leave_out},
    {"default.api.timeout.ms", leave_out},
    {"request.timeout.ms", request_timeout},
    {"sasl.jaas.config", jaas_config},
    {"ssl.truststore.location", truststore_location},
    {"ssl.truststore.certificates", truststore_certificates},
    {"ssl.keystore.location", keystore_location},
    {"ssl.keystore.password", keystore_password},
    {"ssl.keystore.certificate.chain", keystore_chain},
    {"ssl.keystore.key", keystore_key},
    {"ssl.endpoint.identification.algorithm", endpoint_identification},
};

static int translate_row(job *it, const cli_property *row)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].key, row->key) == 0) {
            return known[i].translate(it, row);
        }
    }
    return set(it, row, row->key, row->value);
}

int cli_client_config(const cli_properties *java, cli_properties *out, char *fault, size_t fault_size)
{
    job it = {java, out, ""};
    for (size_t i = 0; i < java->count; i++) {
        const cli_property *row = &java->rows[i];
        if (translate_row(&it, row) != 0) {
            snprintf(fault, fault_size, "line %u: %s: %s", row->line, row->key, it.why);
            return -1;
        }
    }
    return 0;
}
